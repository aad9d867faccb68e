// What a test sees: browsers whose every complaint fails the test.
import assert from 'node:assert/strict';

import { chromium } from 'playwright-core';

import { LIMIT, Site } from './site.mjs';

let browser = null;

/** All tests, in the order of their files. */
export const cases = [];

export function check(name, body) { cases.push({ name, body }); }

async function started() {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-dev-shm-usage'],
  });
  return browser;
}

export async function closeBrowser() { if (browser) await (await browser).close(); }

// Runs in each page before its own scripts. The console is watched.
function watch() {
  addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  // Hostile texts call these.
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'pwned']) window[name] = () => console.error(`a script of a text ran: ${name}`);
}

export class Stage {
  #sites = [];
  #contexts = [];
  #complaints = [];

  async site(options) {
    const site = await Site.start(options);
    this.#sites.push(site);
    return site;
  }

  adopt(site) { this.#sites.push(site); }

  /** A page of a new browser profile. `expects` matches complaints that belong to the test. */
  async visitor(site, { expects = null, ...options } = {}) {
    const context = await (await started()).newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
    this.#contexts.push(context);
    context.setDefaultTimeout(LIMIT);
    if (options.javaScriptEnabled !== false) await context.addInitScript(watch);
    const complain = (text) => { if (!expects?.test(text)) this.#complaints.push(text); };
    context.on('console', (message) => {
      if (message.type() === 'error') complain(`console: ${message.text()} at ${message.page()?.url()}`);
    });
    context.on('weberror', (error) => complain(`error: ${error.error().stack}`));
    context.on('dialog', (dialog) => { complain(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    context.on('request', (request) => {
      if (!request.url().startsWith(`${site.url}/`)) complain(`a request to ${request.url()}`);
    });
    const page = await context.newPage();
    page.go = (path = '/') => page.goto(`${site.url}/blueque${path}`, { waitUntil: 'domcontentloaded' });
    return page;
  }

  async end() {
    for (const context of this.#contexts) await context.close();
    for (const site of this.#sites) await site.end();
  }

  /** Fails if a page has complained. */
  quiet() { assert.deepEqual(this.#complaints, []); }
}

/** Logs in on the login page that is shown. */
export async function login(page, name, password) {
  await page.fill('#user', name);
  await page.fill('#password', password);
  await page.click('button[type=submit]');
}

/** Does an action by mouse: opens its sheet if it asks, fills its fields, and returns what the page says afterwards. */
export async function act(page, name, fields = {}, from = page.locator('body')) {
  const form = from.locator(`form[data-action="${name}"]`).first();
  const sheet = from.locator('details.ask', { has: page.locator(`form[data-action="${name}"]`) }).first();
  if (await sheet.count()) await sheet.locator('summary').click();
  for (const [field, value] of Object.entries(fields)) {
    const input = form.locator(`[name="${field}"]`);
    if (await input.evaluate((element) => element.nodeName === 'SELECT')) await input.selectOption(value); else await input.fill(value);
  }
  await form.locator('button:not([data-close])').click();
  return said(page);
}

/** What the page says of an action that has succeeded. */
export async function said(page) {
  const flash = page.locator('.flash');
  const text = await flash.textContent();
  await page.waitForLoadState('domcontentloaded');
  assert.equal(await flash.getAttribute('data-kind'), 'good', text);
  return text;
}
