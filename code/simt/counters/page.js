/* Tangled from chapters/workshop/report-page.nw, "The page".  Edit it there. */

/* read the data of the report */
'use strict';
const read = id => JSON.parse(document.getElementById(id).textContent);
const now = read('data'), before = read('beside');
const SVG = 'http://www.w3.org/2000/svg';

function make(name, attributes, ...children) {
  const at = attributes && attributes.svg ? document.createElementNS(SVG,
    name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key !== 'svg') at.setAttribute(key, value);
  at.append(...children.filter(c => c !== null));
  return at;
}
const draw = (name, attributes, ...children) =>
  make(name, { ...attributes, svg: true }, ...children);
const say = (n, digits = 4) => n === undefined || n === null ? '' :
  Number.isInteger(n) ? n.toLocaleString('en') :
  Number(n.toPrecision(digits)).toLocaleString('en');

/* tell a count beside the earlier one */
const earlier = name => before?.kernels.find(k => k.name === name);

function cell(value, was, least, text) {
  const at = make('td', {}, text === undefined ? say(value) : text);
  if (least && value > 1.25 * least) at.className = 'hot';
  if (was !== undefined && was !== value)
    at.append(make('br'), make('span', { class: 'was' }, 'was ' +
      (say(was) || '0')));
  return at;
}

const loads = c => (c.gld_sec || 0) + (c.async_ca_sec || 0) +
  (c.async_cg_sec || 0);
const writes = c => (c.gst_sec || 0) + (c.gatom_sec || 0) +
  (c.gred_sec || 0);
const waves = c => (c.sld_wave || 0) + (c.sst_wave || 0) +
  (c.satom_wave || 0) + (c.ldsm_wave || 0) + (c.stsm_wave || 0);
const conflicts = c => (c.sld_conf || 0) + (c.sst_conf || 0) +
  (c.satom_conf || 0) + (c.ldsm_conf || 0) + (c.stsm_conf || 0);
const flop = c => (c.flop || 0) + (c.half_flop || 0) +
  (c.double_flop || 0) + (c.tensor_flop || 0);

/* make the table of kernels */
function bound(c) {
  const bytes = 32 * ((c.unique_read || 0) + (c.unique_written || 0));
  const times = [
    ['memory', bytes / now.gpu.bytes_per_s],
    ['arithmetic', (c.flop || 0) / now.gpu.flop_per_s],
    ['tensor cores', (c.tensor_flop || 0) / now.gpu.tensor_flop_per_s]];
  times.sort((a, b) => b[1] - a[1]);
  return { what: times[0][0], bytes,
    intensity: bytes ? flop(c) / bytes : undefined };
}

const COLUMNS = ['launches', 'warp instr.', 'lanes each', 'sectors read',
  'different', 'sectors written', 'different', 'shared wavefronts',
  'conflicts', 'FLOP', 'FLOP/byte', 'least µs', 'bound by'];

function kernelRow(k) {
  const old = earlier(k.name), c = k.counts, o = old ? old.counts : {};
  const is = old ? (f => f(o)) : (() => undefined), b = bound(c);
  return make('tr', {}, make('td', { class: 'name' },
    make('a', { href: '#k' + now.kernels.indexOf(k) }, k.name)),
    cell(k.launches, old?.launches),
    cell(c.inst || 0, is(x => x.inst || 0)),
    cell(0, undefined, 0, say((c.thread_inst || 0) / c.inst, 3)),
    cell(loads(c), is(loads), c.unique_read),
    cell(c.unique_read || 0, is(x => x.unique_read || 0)),
    cell(writes(c), is(writes), c.unique_written),
    cell(c.unique_written || 0, is(x => x.unique_written || 0)),
    cell(waves(c), is(waves), waves(c) - conflicts(c)),
    cell(conflicts(c), is(conflicts)), cell(flop(c), is(flop)),
    cell(0, undefined, 0, say(b.intensity, 3)),
    cell(k.least_us, old?.least_us),
    cell(0, undefined, 0, b.what));
}

/* draw an access to global memory */
const W = 900, LANE = W / 32;

function lanesRow(access, y) {
  const row = draw('g', {});
  for (let l = 0; l < 32; l++) {
    const on = access.lanes >>> l & 1;
    row.append(draw('rect', { x: l * LANE + 1, y, width: LANE - 2,
      height: 20, fill: on ? 'var(--lane)' : 'none', 'fill-opacity': .25,
      stroke: 'var(--lane)', 'stroke-dasharray': on ? 'none' : '2 3' }),
      draw('text', { x: (l + .5) * LANE, y: y + 14,
        'text-anchor': 'middle' }, String(l)));
  }
  return row;
}

function sectorPicture(a) {
  const sectors = new Map();
  for (let l = 0; l < 32; l++)
    for (let b = 0; a.lanes >>> l & 1 && b < a.size; b += 32)
      sectors.set(Math.floor((a.at[l] + b) / 32), 0);
  const list = [...sectors.keys()].sort((x, y) => x - y);
  let x = 0;
  list.forEach((s, i) => {
    if (i) x += s === list[i - 1] + 1 ? 1 : 1.5;
    sectors.set(s, x);
  });
  const box = Math.min(W / (x + 1), 40), at = s => sectors.get(s) * box;
  const svg = draw('svg', { viewBox: `0 0 ${W} 130`, role: 'img',
    'aria-label': `${list.length} sectors for the lanes of one access` },
    lanesRow(a, 2));
  for (let l = 0; l < 32; l++) if (a.lanes >>> l & 1)
    svg.append(draw('line', { x1: (l + .5) * LANE, y1: 22,
      x2: at(Math.floor(a.at[l] / 32)) + (a.at[l] % 32 + .5 *
        Math.min(a.size, 32)) / 32 * box, y2: 100, stroke: 'var(--lane)',
      'stroke-opacity': .6 }));
  for (const s of list) svg.append(draw('rect', { x: at(s), y: 100,
    width: box, height: 22, fill: 'var(--cost)', stroke: 'var(--ink)' }));
  return svg;
}

/* draw an access to shared memory */
const H = 14;
const groupsOf = a => {
  const n = a.size > 4 ? 128 / a.size : 32;
  return Array.from({ length: 32 / n }, (_, g) => [g * n, (g + 1) * n]);
};

function wordsOfBanks(a, from, to) {
  const bank = Array.from({ length: 32 }, () => new Map());
  for (let l = from; l < to; l++)
    for (let w = 0; a.lanes >>> l & 1 && w < Math.max(1, a.size / 4); w++) {
      const word = Math.floor(a.at[l] / 4) + w, b = bank[word % 32];
      b.set(word, [...(b.get(word) || []), l]);
    }
  return bank;
}

function stack(svg, bank, top, high) {
  bank.forEach((b, i) => [...b.values()].forEach((lanes, k) => {
    const y = top + (high - 1 - k) * H;
    svg.append(draw('rect', { x: i * LANE + 1, y, height: H - 1,
      width: LANE - 2, fill: k ? 'var(--cost)' : 'var(--lane)',
      'fill-opacity': k ? 1 : .25 }), draw('text', { y: y + H - 3,
      x: (i + .5) * LANE, 'text-anchor': 'middle' },
      lanes.length > 1 ? lanes[0] + '+' : String(lanes[0])));
  }));
}

function bankPicture(a) {
  const svg = draw('svg', { role: 'img', 'aria-label':
    `lanes of one access on the 32 banks, ${a.cost} wavefronts` });
  let y = 0;
  for (const [from, to] of groupsOf(a)) {
    const bank = wordsOfBanks(a, from, to);
    const high = Math.max(...bank.map(b => b.size));
    stack(svg, bank, y, high);
    y += high * H + 4;
  }
  for (let i = 0; i < 32; i++) svg.append(draw('text', { y: y + 12,
    x: (i + .5) * LANE, 'text-anchor': 'middle' }, String(i)));
  svg.append(draw('text', { x: 0, y: y + 26 }, 'banks; in a box the ' +
    'lane that needs a word of this bank, + if several need it'));
  svg.setAttribute('viewBox', `0 0 ${W} ${y + 30}`);
  return svg;
}

function picture(a) {
  const cost = a.space === 'global'
    ? `${a.cost} sectors of 32 bytes for ${bits(a.lanes) * a.size} bytes`
    : `${a.cost} wavefronts; ${a.least} would do without conflicts`;
  return make('div', {}, make('p', { class: 'note' }, `The costliest ` +
    `${a.space} ${a.kind}, ${a.size} bytes a lane, first in block ` +
    `${a.block}, warp ${a.warp}: ${cost}.`),
    a.space === 'global' ? sectorPicture(a) : bankPicture(a));
}
const bits = n => { let b = 0; for (; n; n >>>= 1) b += n & 1; return b; };

/* make the table of the source */
const per = (a, b) => b ? say(a / b, 3) : '';
const hot = (text, is) => make('td', is ? { class: 'hot' } : {}, text);
const wasteful = t => t[1] > t[0] && 32 * t[1] > 1.25 * t[2];

function sourceRow(line, most) {
  const [n, text, c] = line;
  if (!c) return [make('tr', {}, make('td', { class: 'note' }, String(n)),
    ...Array.from({ length: 8 }, () => make('td')),
    make('td', { class: 'text' }, text))];
  const code = text.trimStart(), indent = text.slice(0, -code.length);
  const shown = c.access ? make('button', { class: 'text',
    'aria-expanded': 'false' }, code) : code;
  const row = make('tr', {}, make('td', { class: 'note' }, String(n)),
    make('td', { class: 'bar', style: `--part:${100 * c.inst / most}%` },
      say(c.inst)), hot(per(c.active, c.inst), c.split),
    make('td', {}, say(c.read[0] || null)),
    hot(per(c.read[1], c.read[0]), wasteful(c.read)),
    make('td', {}, say(c.write[0] || null)),
    hot(per(c.write[1], c.write[0]), wasteful(c.write)),
    make('td', {}, say(c.shared[0] || null)),
    hot(per(c.shared[1], c.shared[0]), c.shared[2]),
    make('td', { class: 'text' }, indent, shown));
  if (!c.access) return [row];
  const more = make('tr', { class: 'picture', hidden: '' },
    make('td', { colspan: 10 }, picture(c.access)));
  shown.onclick = () => {
    more.hidden = !more.hidden;
    shown.setAttribute('aria-expanded', String(!more.hidden));
  };
  return [row, more];
}

const HEAD = ['line', 'instr.', 'lanes', 'reads', 's/req', 'writes',
  's/req', 'shared', 'w/req', 'source'];
const table = (kind, heads, rows) => make('div', { class: 'scroll',
  tabindex: 0, role: 'region', 'aria-label': kind }, make('table',
  { class: kind }, make('thead', {}, make('tr', {}, ...heads.map((h, i) =>
    make('th', { scope: 'col', class: h === 'source' || h === 'kernel' ?
      'name' : '' }, h)))), make('tbody', {}, ...rows)));

function sourceTable(file) {
  const most = Math.max(1, ...file.lines.map(l => l[2] ? l[2].inst : 0));
  return make('div', {}, make('p', {}, make('code', {}, file.path)),
    table('source', HEAD, file.lines.flatMap(l => sourceRow(l, most))));
}

/* draw the lanes over time */
function stepsPicture(k) {
  const n = k.steps.length, w = Math.max(2, Math.min(14, W / n)), h = 5;
  const svg = draw('svg', { viewBox: `0 0 ${Math.max(W, n * w)} ${32 * h +
    16}`, role: 'img', 'aria-label': 'lanes of the first warp over time' });
  k.steps.forEach(([line, lanes, times], i) => {
    const column = draw('g', {}, draw('title', {}, `line ${line}: ` +
      `${bits(lanes)} lanes, ${times} instructions`));
    for (let l = 0; l < 32; l++) if (lanes >>> l & 1)
      column.append(draw('rect', { x: i * w, y: l * h, width: w - .5,
        height: h - .5, fill: 'var(--lane)' }));
    svg.append(column);
  });
  svg.append(draw('text', { x: 0, y: 32 * h + 12 }, 'lane 0 at the top; ' +
    'time to the right' + (k.cut ? '; only the beginning' : '')));
  return svg;
}

function kernelPart(k, i) {
  const o = k.occupancy, d = k.grid.join(' × '), b = k.block.join(' × ');
  return make('section', { id: 'k' + i }, make('h2', {}, k.name),
    make('p', {}, `${k.launches} launch${k.launches === 1 ? '' : 'es'}, ` +
      `grid ${d}, block ${b}${k.same ? '' : ' (of the last one)'}. ` +
      `${k.shared} bytes of shared memory. ${o.warps} of ${o.of} warps ` +
      `fit on a multiprocessor, limited by ${o.limit}` +
      (k.registers ? '.' : ' (registers are not stated: ' +
        'SIMT_REGISTERS).')),
    ...k.files.map(sourceTable),
    make('p', { class: 'note' }, 'The first warp, step by step:'),
    k.steps.length ? stepsPicture(k) : null);
}

document.querySelector('h1').textContent = now.program +
  ' on the software GPU';
document.getElementById('about').textContent = 'Counts, not times. ' +
  'Least times and occupancy are those of an ' + now.gpu.name + ' by its ' +
  'data sheet. Marked numbers exceed the least possible by a quarter. ' +
  'A line that is a button shows its costliest access.' +
  (before ? ' Compared with a run of ' + before.program + '.' : '');
document.querySelector('main').append(table('kernels',
  ['kernel', ...COLUMNS], now.kernels.map(kernelRow)),
  ...now.kernels.map(kernelPart));
