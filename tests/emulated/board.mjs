// A controller with readers, emulated: the real MicroPython image on an RP2040 of rp2040js, its flash kept over resets, with
// PN5180 chips on its pins. usage: node board.mjs SETUP.json
//
// File 3 is the USB serial line, bytes both ways. Orders come in on stdin and reports go out on stdout, a JSON object a line:
//   {"moves": [[at_ms, "e004...", reader or null], ...]}   tags put down and lifted at times of the emulated clock
//   {"fault": [reader, "absent" | "stuck" | "hung" | "no field" | ""]}, {"power": "cycle"}, {"ask": "state"},
//   {"save": path}   what is on the flash, for another board to start from ("flash" in its setup)
// Reports: {"reset": why, "at_ms"} for each reset, {"ms": now} ten times a second of emulated time, {"state": ...}, {"saved": path}.
import fs from 'fs';
import net from 'net';
import { fastRun } from './core.mjs';
import { PN5180 } from './pn5180.mjs';
import { installRom } from './rom.mjs';
import { PlainWiring, TableWiring } from './wiring.mjs';

const setup = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const library = `${setup.library}/node_modules/rp2040js/dist/esm/`;
const { ConsoleLogger, LogLevel, RP2040, USBCDC } = await import(`${library}index.js`);
const { SimulationClock } = await import(`${library}clock/simulation-clock.js`);
const run = fastRun(`${library}cortex-m0-core.js`);
const NANOS_PER_CYCLE = 8 / setup.speed;
const CHUNK = 1e6; // nanoseconds between two looks at the outside world

// xorshift: the same numbers in each run.
let seed = setup.seed || 1;
const chance = () => { seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5; return (seed >>> 0) / 4294967296; };

const say = (report) => process.stdout.write(`${JSON.stringify(report)}\n`);
const serial = new net.Socket({ fd: 3 });
const incoming = [];
serial.on('data', (data) => incoming.push(...data));

// Time goes on over resets.
let base = 0, machine = null;
const now = { get nanos() { return base + (machine ? machine.clock.nanos : 0); } };
const ms = () => Math.round(now.nanos / 1e6);

const coils = Array.from({ length: setup.readers }, () => ({ tags: [], misses: setup.misses || 0 }));
for (const [id, reader] of setup.tags || []) coils[reader].tags.push(BigInt(`0x${id}`));
const spread = (times) => Object.fromEntries(Object.entries(times || {}).map(([name, value]) =>
  [name, Array.isArray(value) ? value[0] + chance() * (value[1] - value[0]) : value]));
const chips = coils.map((coil) => new PN5180(now, coil, chance, spread(setup.times)));
const errors = [];
const flash = new Uint8Array(2 * 1024 * 1024).fill(0xff);
flash.set(fs.readFileSync(setup.flash || setup.image), 0);
let spiFrames = 0;

class Reset extends Error {
  constructor(watchdog) {
    super();
    Object.assign(this, { reason: watchdog.reason || 2, scratch: [...watchdog.scratchData] });
  }
}

const keepFlash = () => flash.set(machine.mcu.flash.subarray(0, flash.length));

function powerOn(why, watchdog) {
  base = now.nanos;
  machine = null;
  for (const chip of chips) { chip.reset(0); }
  const clock = new SimulationClock();
  const mcu = new RP2040(clock);
  mcu.logger = new ConsoleLogger(LogLevel.Error);
  installRom(mcu);
  mcu.flash.fill(0xff);
  mcu.flash.set(flash);
  const reset = mcu.peripherals[0x40058 & ~0x3] || Object.values(mcu.peripherals).find((part) => part?.onWatchdogTrigger);
  if (watchdog) {
    reset.reason = watchdog.reason;
    reset.scratchData.set(watchdog.scratch);
  }
  // Thrown, as the library's timer would go on firing at the same moment.
  reset.onWatchdogTrigger = () => { throw new Reset(reset); };
  for (const pio of mcu.pio) driven(pio);
  const wiring = setup.wiring === 'table' ? new TableWiring(setup.pins.controller, setup.pins.shift, chips, errors) : new PlainWiring(setup.places, chips);
  wiring.connect(mcu);
  bus(mcu, clock, wiring);
  const values = Object.getOwnPropertyDescriptor(RP2040.prototype, 'gpioValues').get;
  Object.defineProperty(mcu, 'gpioValues', { get() { wiring.busy(mcu); return values.call(mcu); } });
  const cdc = new USBCDC(mcu.usbCtrl);
  cdc.onSerialData = (data) => serial.write(Buffer.from(data));
  mcu.core.PC = 0x10000000;
  machine = { clock, mcu, cdc, wiring };
  say({ reset: why, at_ms: ms() });
}

// The library runs its PIO whenever the event loop comes by; here it runs when there is something to do, in no time.
function driven(pio) {
  const write = pio.writeUint32.bind(pio);
  pio.run = () => {};
  pio.writeUint32 = (offset, value) => {
    write(offset, value);
    if (pio.stopped) return;
    for (let i = 0; i < 400; i++) pio.step();
  };
}

// A byte takes its time on the wire; a bus that is driven faster than its cables allow has wrong bits.
function bus(mcu, clock, wiring) {
  const spi = mcu.spi[0];
  let value = 0xff;
  const arrive = clock.createAlarm(() => spi.completeTransmit(value));
  spi.onTransmit = (byte) => {
    spiFrames++;
    value = wiring.exchange(byte & 255);
    const speed = spi.clockFrequency || 1e6;
    if (speed > (setup.cleanUpTo || 1e9) && chance() < 0.02) value ^= 1 << Math.floor(chance() * 8);
    arrive.schedule((8 / speed) * 1e9);
  };
}

const moves = [];
function obey(order) {
  if (order.moves) moves.push(...order.moves.map(([at, id, reader]) => [at + ms(), id, reader])), moves.sort((a, b) => a[0] - b[0]);
  if (order.fault) chips[order.fault[0]].fault = order.fault[1];
  if (order.power) { keepFlash(); powerOn('power'); }
  if (order.ask) say({ state: { ms: ms(), frames: chips.map((chip) => chip.frames), fieldOns: chips.map((chip) => chip.fieldOns), errors: [...errors, ...chips.flatMap((chip, n) => chip.errors.map((error) => `chip ${n}: ${error}`))], bytes: spiFrames, turns: machine.wiring.turns, spi: machine.mcu.spi[0].clockFrequency, waiting: moves.length } });
  if (order.save) { fs.writeFileSync(order.save, machine.mcu.flash.subarray(0, flash.length)); say({ saved: order.save }); }
}

let orders = '';
process.stdin.on('data', (data) => {
  orders += data;
  const lines = orders.split('\n');
  orders = lines.pop();
  for (const line of lines) if (line.trim()) obey(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));

let told = 0;
function turn() {
  const stop = Date.now() + 8;
  do {
    while (moves.length && moves[0][0] <= ms()) {
      const [, id, reader] = moves.shift(), tag = BigInt(`0x${id}`);
      for (const coil of coils) coil.tags = coil.tags.filter((other) => other !== tag);
      if (reader !== null) coils[reader].tags.push(tag);
    }
    while (incoming.length && !machine.cdc.txFIFO.full) machine.cdc.sendSerialByte(incoming.shift());
    try {
      run(machine.mcu.core, machine.clock, machine.clock.nanos + CHUNK, NANOS_PER_CYCLE, setup.delayAt);
    } catch (reset) {
      if (!(reset instanceof Reset)) throw reset;
      keepFlash();
      powerOn(reset.reason === 1 ? 'watchdog' : 'reset', reset);
    }
    if (ms() >= told + 100) say({ ms: (told = ms()) });
  } while (Date.now() < stop);
  setImmediate(turn);
}

powerOn('power');
turn();
