// What moves on the page. Everything else works without this script.
'use strict';

const $ = (query, from = document) => from.querySelector(query);
const all = (query, from = document) => Array.from(from.querySelectorAll(query));

// ---- Forms ----

// Live parts are the same for all browsers, so each browser adds its own token.
document.addEventListener('submit', (event) => {
  const token = event.target.querySelector('input[name=csrf]');
  if (token) token.value = document.body.dataset.csrf;
}, true);

// ---- Times ----

function span(seconds) {
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const units = [[Math.floor(whole / 86400), 'd'], [Math.floor(whole / 3600) % 24, 'h'], [Math.floor(whole / 60) % 60, 'min'], [whole % 60, 's']];
  const first = units.findIndex(([number]) => number > 0);
  return units.slice(first, first + 2).filter(([number]) => number > 0).map(([number, unit]) => `${number} ${unit}`).join(' ');
}

function setTimes(from = document) {
  const now = Date.now();
  for (const time of all('time[data-time]', from)) {
    const at = Date.parse(time.dateTime);
    const seconds = (now - at) / 1000;
    let text;
    if (time.dataset.time === 'elapsed') text = span(seconds);
    else if (time.dataset.time === 'clock') text = new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    else if (time.dataset.time === 'second') text = new Date(at).toLocaleTimeString();
    else text = seconds >= 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`;
    if (time.textContent !== text) time.textContent = text;
    if (!time.dataset.local) {
      time.dataset.local = '1';
      time.title = `${new Date(at).toLocaleString()} (${time.title})`;
    }
  }
}
setTimes();
setInterval(setTimes, 1000);

// ---- Live parts: the server sends the html of a part when it has changed ----

// Makes `old` equal to `now`. Rows with the same key stay the same elements, so that the focus and open details stay.
function morph(old, now) {
  if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName) { old.replaceWith(now); return; }
  if (old.nodeType !== Node.ELEMENT_NODE) { if (old.data !== now.data) old.data = now.data; return; }
  if (old.nodeName === 'TIME' && old.dateTime === now.dateTime) return;
  if (old.isEqualNode(now)) return;
  for (const { name } of Array.from(old.attributes)) {
    const own = (name === 'open' && old.nodeName === 'DETAILS') || name === 'data-at';
    if (!now.hasAttribute(name) && !own) old.removeAttribute(name);
  }
  for (const { name, value } of Array.from(now.attributes)) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (['INPUT', 'SELECT', 'TEXTAREA'].includes(old.nodeName)) return;
  const keyed = new Map(Array.from(old.children).filter((child) => child.dataset?.key).map((child) => [child.dataset.key, child]));
  let place = old.firstChild;
  for (const next of Array.from(now.childNodes)) {
    const known = next.dataset?.key ? keyed.get(next.dataset.key) : null;
    if (known) {
      if (known !== place) old.insertBefore(known, place); else place = place.nextSibling;
      keyed.delete(next.dataset.key);
      morph(known, next);
    } else if (place && !place.dataset?.key && !next.dataset?.key && place.nodeName === next.nodeName) {
      const after = place.nextSibling;
      morph(place, next);
      place = after;
    } else {
      old.insertBefore(next, place);
    }
  }
  while (place) { const after = place.nextSibling; place.remove(); place = after; }
  for (const gone of keyed.values()) gone.remove();
}

function banner(text) {
  const box = $('#banner');
  box.hidden = !text;
  if (box.textContent !== (text || '')) box.textContent = text || '';
}

const live = $('[data-live]');
let source = null;
let heard = Date.now();

function listen() {
  if (!live || source || document.hidden) return;
  source = new EventSource(live.dataset.live);
  source.addEventListener('frame', (event) => {
    heard = Date.now();
    const frame = JSON.parse(event.data);
    for (const { id, html } of frame.parts) {
      const part = document.getElementById(id);
      if (!part) continue;
      const next = part.cloneNode(false);
      next.innerHTML = html;
      setTimes(next);
      morph(part, next);
    }
    document.body.dataset.live = frame.trouble ? 'old' : 'yes';
    banner(frame.trouble ? `What you see is old: ${frame.trouble}` : '');
    document.dispatchEvent(new CustomEvent('blueque:frame', { detail: frame }));
  });
  source.addEventListener('error', () => {
    document.body.dataset.live = 'no';
    if (source && source.readyState === EventSource.CLOSED) { source = null; setTimeout(listen, 3000); }
  });
}

function deaf() { if (source) { source.close(); source = null; } }

document.addEventListener('visibilitychange', () => { if (document.hidden) deaf(); else { heard = Date.now(); listen(); } });
addEventListener('pagehide', deaf);
listen();
if (live) {
  setInterval(() => {
    const silent = Math.round((Date.now() - heard) / 1000);
    if (!document.hidden && silent > 12) banner(`What you see is ${span(silent)} old: the page does not answer. It tries again by itself.`);
  }, 1000);
}

// ---- The log of a task ----

const log = $('[data-log]');
if (log) {
  const follow = $('#log-follow');
  const search = $('#log-search');
  const sources = $('#log-source');
  let last = log.dataset.last;
  let stream = null;
  // Only a reader stops following, not a change of the layout.
  let byHand = false;
  for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown']) log.addEventListener(name, () => { byHand = true; }, { passive: true });
  const bottom = () => { if (follow.checked) log.scrollTop = log.scrollHeight; };
  const shown = () => {
    const words = search.value.toLowerCase();
    for (const line of log.children) {
      const fits = (!words || line.textContent.toLowerCase().includes(words)) && (!sources.value || line.dataset.source === sources.value);
      line.hidden = !fits;
    }
  };
  const add = (html, first) => {
    const part = document.createElement('template');
    part.innerHTML = html;
    setTimes(part.content);
    if (first) {
      const height = log.scrollHeight;
      log.prepend(part.content);
      log.scrollTop += log.scrollHeight - height;
    } else {
      log.append(part.content);
      // A page that follows for days must not grow for days.
      while (log.children.length > 20000) log.firstElementChild.remove();
    }
    if (search.value || sources.value) shown();
  };
  const tail = () => {
    if (stream || document.hidden || !log.dataset.log) return;
    stream = new EventSource(`${log.dataset.log}&after=${encodeURIComponent(last)}`);
    stream.addEventListener('lines', (event) => { last = event.lastEventId; add(event.data, false); bottom(); });
    stream.addEventListener('end', () => { stream.close(); stream = null; log.dataset.log = ''; });
    stream.addEventListener('error', () => { if (stream && stream.readyState === EventSource.CLOSED) { stream = null; setTimeout(tail, 3000); } });
  };
  const mute = () => { if (stream) { stream.close(); stream = null; } };
  document.addEventListener('visibilitychange', () => (document.hidden ? mute() : tail()));
  addEventListener('pagehide', mute);
  follow.addEventListener('change', () => { byHand = false; bottom(); });
  new ResizeObserver(bottom).observe(log);
  log.addEventListener('scroll', () => {
    const end = log.scrollTop + log.clientHeight >= log.scrollHeight - 20;
    if (!end && byHand) follow.checked = false;
    if (end) follow.checked = true;
    if (byHand && log.scrollTop < 40 && log.dataset.earlier && !log.dataset.reading) {
      log.dataset.reading = '1';
      fetch(log.dataset.earlier).then((answer) => (answer.ok ? answer.text() : '')).then((html) => {
        const next = html ? /data-earlier="([^"]*)"/.exec(html)?.[1] : '';
        log.dataset.earlier = next ? next.replaceAll('&amp;', '&') : '';
        if (html) add(html, true);
      }).finally(() => { delete log.dataset.reading; });
    }
  });
  search.addEventListener('input', shown);
  sources.addEventListener('change', shown);
  bottom();
  tail();
}

// ---- Selection of rows ----

const bulk = $('[data-bulk]');
if (bulk) {
  const boxes = () => all('input[name=id]', bulk);
  const every = $('#select-all');
  const count = () => {
    const chosen = boxes().filter((box) => box.checked).length;
    const scope = $('input[name=scope]:checked', bulk)?.value;
    const most = $('[data-matching]', bulk)?.dataset.matching;
    const number = scope === 'all' ? most : String(chosen);
    for (const out of all('[data-chosen]', bulk)) out.textContent = `${number} ${number === '1' ? 'task' : 'tasks'}`;
    if (every) { every.checked = chosen > 0 && chosen === boxes().length; every.indeterminate = chosen > 0 && !every.checked; }
    const box = $('.bulk', bulk);
    if (box) box.dataset.idle = chosen === 0 && scope !== 'all' ? '1' : '';
  };
  every?.addEventListener('change', () => { for (const box of boxes()) box.checked = every.checked; count(); });
  bulk.addEventListener('change', count);
  const what = $('select[name=what]', bulk);
  const fields = () => {
    for (const field of all('[data-for]', bulk)) field.hidden = !field.dataset.for.split(' ').includes(what.value);
    for (const verb of all('[data-verb]', bulk)) verb.textContent = what.selectedOptions[0].textContent;
  };
  what?.addEventListener('change', fields);
  if (what) fields();
  count();
}

// Chosen columns are one field of the address.
for (const form of all('form')) {
  const columns = $('input[name=columns]', form);
  if (columns) form.addEventListener('submit', () => {
    const boxes = all('[data-column]', form);
    columns.value = boxes.filter((box) => box.checked).map((box) => box.value).join(',');
    for (const box of boxes) box.disabled = true;
  });
}

// ---- Forms that ask first ----

document.addEventListener('toggle', (event) => {
  const details = event.target;
  if (!(details instanceof HTMLDetailsElement) || !details.open) return;
  if (details.matches('.ask')) {
    for (const other of all('details.ask[open]')) if (other !== details) other.open = false;
    $('input:not([type=hidden]), select, textarea, button', $('.sheet', details))?.focus();
  }
}, true);
document.addEventListener('click', (event) => {
  for (const open of all('details.ask[open], details.place[open]')) if (!open.contains(event.target)) open.open = false;
  const close = event.target.closest('[data-close]');
  if (close) { const open = close.closest('details'); open.open = false; $('summary', open).focus(); }
  const opener = event.target.closest('[data-open]');
  if (opener) document.getElementById(opener.dataset.open)?.showModal();
  const copy = event.target.closest('[data-copy]');
  if (copy) {
    const text = copy.dataset.copy;
    const done = () => { copy.textContent = 'Copied'; setTimeout(() => { copy.textContent = 'Copy'; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
    else {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
      done();
    }
  }
});

// ---- Keyboard ----

let before = '';
const rows = () => all('main tbody tr').filter((row) => row.offsetParent !== null && $('a', row));
function step(by) {
  const list = rows();
  if (!list.length) return;
  const at = list.findIndex((row) => 'at' in row.dataset);
  const next = list[Math.min(list.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by))];
  for (const row of list) delete row.dataset.at;
  next.dataset.at = '';
  next.scrollIntoView({ block: 'nearest' });
  $('a', next).focus({ preventScroll: true });
}
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    const open = all('details.ask[open], details.place[open]').pop();
    if (open) { open.open = false; $('summary', open).focus(); }
    else if (event.target.matches('input, textarea, select')) event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select') || $('dialog[open]')) return;
  const at = $('main tr[data-at]');
  const go = before === 'g' ? $(`[data-go="${CSS.escape(event.key)}"]`) : null;
  before = event.key;
  if (go) { before = ''; go.click(); }
  else if (event.key === '?') { event.preventDefault(); $('#keys').showModal(); }
  else if (event.key === '/') { event.preventDefault(); ($('#filter') || $('#jump')).focus(); }
  else if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
  else if (event.key === 'x' && at) { const box = $('input[type=checkbox]', at); if (box) box.click(); }
  else if (event.key === 'Enter' && at && !event.target.matches('a, button, summary')) $('a', at).click();
});
