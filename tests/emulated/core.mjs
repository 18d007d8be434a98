// The processor of rp2040js, made fast enough for CI: the same instructions, found by a table instead of by eighty comparisons.
//
// rp2040js 1.4.1 decodes each instruction with a chain of `else if (opcode >> 6 === ...)`. Every condition but those of the
// 32-bit instructions depends on the opcode alone, so the chain is read from the library's own source, asked once for each of the
// 65,536 opcodes, and written again as a `switch`. What an instruction does is still the library's text. A new version of the
// library whose chain looks different stops here with an error, and never runs wrong instructions.
//
// Memory is read and written directly; only other addresses go through the library, which looks for a peripheral at each.
//
// Waiting costs nothing either: a short delay of MicroPython is a loop that reads the timer; `delayAt` is where it begins, and
// there the clock is moved on instead.
import fs from 'fs';

const FLASH = 0x10000000, RAM = 0x20000000, TOGETHER = 16;

function branches(source) {
  const lines = source.split('\n');
  const first = lines.findIndex((line) => /^ {4}executeInstruction\(\) \{/.test(line));
  const last = lines.findIndex((line, i) => i > first && /^ {4}\}$/.test(line));
  const found = [];
  let current = null, tail = [];
  for (let i = first + 1; i < last; i++) {
    const line = lines[i];
    const start = /^ {8}(?:else )?if \((opcode .*)\) \{$/.exec(line);
    if (start) current = { condition: start[1], body: [] }, found.push(current);
    else if (/^ {8}else \{$/.test(line) && current) current = { condition: 'true', body: [] }, found.push(current);
    else if (/^ {8}\}$/.test(line)) { if (current) current.closed = true; }
    else if (current && !current.closed) current.body.push(line);
    else if (found.length && found[found.length - 1].condition === 'true' && current.closed) tail.push(line);
  }
  if (found.length < 70 || found[found.length - 1].condition !== 'true') throw new Error('core.mjs: rp2040js decodes its instructions in another way');
  return { found, tail };
}

// run(core, clock, until, nanosPerCycle, delayAt): instructions until the clock reaches `until`.
export function fastRun(file) {
  const source = fs.readFileSync(file, 'utf8');
  const { found, tail } = branches(source);
  const head = source.slice(0, source.indexOf('export class CortexM0Core')).split('\n')
    .filter((line) => !/^import /.test(line)).join('\n').replace(/^export /gm, '');
  const wide = (opcode) => opcode >> 12 === 0b1111 || opcode >> 11 === 0b11101;
  const tests = found.map((branch) => new Function('opcode', 'opcode2', `return (${branch.condition});`));
  const table = new Uint8Array(65536);
  for (let opcode = 0; opcode < 65536; opcode++) {
    table[opcode] = wide(opcode) ? found.length : tests.findIndex((test) => test(opcode, 0));
  }
  const usedWide = found.filter((branch) => /opcode2/.test(branch.condition));
  const mine = (body) => body.join('\n').replace(/\bthis\b/g, 'core').replace(/core\.registers\b/g, 'R').replace(/\bcore\.PC\b/g, 'R[15]')
    .replace(/\bcore\.(read|write)Uint(8|16|32)\(/g, '$1$2(');
  const chain = usedWide.map((branch) => `if (${branch.condition}) {\n${mine(branch.body)}\n}`).join(' else ') + ` else {\n${mine(found[found.length - 1].body)}\n}`;
  const cases = found.map((branch, i) => (usedWide.includes(branch) ? '' : `case ${i}: {\n${mine(branch.body)}\nbreak; }`)).join('\n');
  for (const line of tail) if (!/^\s*(this\.cycles \+= deltaCycles;|return deltaCycles;|\/\/.*|)$/.test(line)) throw new Error(`core.mjs: what does rp2040js do here? ${line}`);
  return new Function('table', `${head}
  const FLASH = ${FLASH}, RAM = ${RAM}, TOGETHER = ${TOGETHER};
  return (core, clock, until, nanosPerCycle, delayAt) => {
    const R = core.registers, rp2040 = core.rp2040, flashBytes = rp2040.flash.length, ramBytes = rp2040.sram.length;
    const flash8 = rp2040.flash, flash16 = new Uint16Array(flash8.buffer), flash32 = new Uint32Array(flash8.buffer);
    const ram8 = rp2040.sram, ram16 = new Uint16Array(ram8.buffer), ram32 = new Uint32Array(ram8.buffer);
    // What is not aligned goes the library's way.
    const read8 = (address) => {
      const at = (address - RAM) >>> 0;
      if (at < ramBytes) return ram8[at];
      const there = (address - FLASH) >>> 0;
      return there < flashBytes ? flash8[there] : rp2040.readUint8(address);
    };
    const read16 = (address) => {
      const at = (address - RAM) >>> 0;
      if (at < ramBytes && !(at & 1)) return ram16[at >>> 1];
      const there = (address - FLASH) >>> 0;
      return there < flashBytes && !(there & 1) ? flash16[there >>> 1] : rp2040.readUint16(address);
    };
    const read32 = (address) => {
      const at = (address - RAM) >>> 0;
      if (at < ramBytes && !(at & 3)) return ram32[at >>> 2];
      const there = (address - FLASH) >>> 0;
      return there < flashBytes && !(there & 3) ? flash32[there >>> 2] : rp2040.readUint32(address);
    };
    const write8 = (address, value) => {
      const at = (address - RAM) >>> 0;
      if (at < ramBytes) ram8[at] = value;
      else rp2040.writeUint8(address, value);
    };
    const write16 = (address, value) => {
      const at = (address - RAM) >>> 0;
      if (at < ramBytes && !(at & 1)) ram16[at >>> 1] = value;
      else rp2040.writeUint16(address, value);
    };
    const write32 = (address, value) => {
      const at = (address - RAM) >>> 0;
      if (at < ramBytes && !(at & 3)) ram32[at >>> 2] = value;
      else rp2040.writeUint32(address, value);
    };
    while (clock.nanosCounter < until) {
      if (core.interruptsUpdated && core.checkForInterrupts()) core.waiting = false;
      if (core.waiting) {
        const next = clock.nextAlarm ? Math.max(clock.nextAlarm.nanos - clock.nanosCounter, 0) : Infinity;
        clock.tick(Math.min(next, until - clock.nanosCounter));
        continue;
      }
      // The clock moves every few instructions: each time it does costs as much as two of them.
      let deltaCycles = 0;
      for (let n = 0; n < TOGETHER && !core.interruptsUpdated && !core.waiting; n++) {
        const opcodePC = R[15] & ~1;
        if (opcodePC === delayAt && R[0] <= 1000) {
          clock.tick(deltaCycles * nanosPerCycle + R[0] * 1000 + 200);
          deltaCycles = 0;
          R[15] = R[14] & ~1;
          break;
        }
        const place = (opcodePC - FLASH) >>> 0;
        const opcode = place < flashBytes ? flash16[place >>> 1] : read16(opcodePC);
        let opcode2 = 0;
        R[15] += 2;
        deltaCycles++;
        switch (table[opcode]) {
          ${cases}
          default: {
            opcode2 = read16(opcodePC + 2);
            ${chain}
          }
        }
      }
      clock.tick(deltaCycles * nanosPerCycle);
    }
  };`)(table);
}
