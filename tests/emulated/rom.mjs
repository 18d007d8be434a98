// The boot ROM's functions, as MicroPython calls them: each is {BKPT #n; BX LR} and done here. rp2040js brings no boot ROM.
// Erasing and programming the flash is done for real, so a file system on it works.
export function installRom(mcu) {
  const rom = new Uint32Array(4096), halves = new Uint16Array(rom.buffer), bytes = new Uint8Array(rom.buffer);
  const core = mcu.core, R = core.registers, flash = mcu.flash;
  const f32 = new Float32Array(1), u32 = new Uint32Array(f32.buffer);
  const F = (word) => { u32[0] = word >>> 0; return f32[0]; }, W = (value) => { f32[0] = value; return u32[0]; };
  const give = (value) => { R[0] = value >>> 0; };
  const give64 = (value) => { value = BigInt.asUintN(64, value); R[0] = Number(value & 0xffffffffn); R[1] = Number(value >> 32n); };
  const signed = (x) => (Number.isNaN(x) ? 0 : Math.max(-2147483648, Math.min(2147483647, x)));
  const unsigned = (x) => (Number.isNaN(x) ? 0 : Math.max(0, Math.min(4294967295, x)));
  const u64 = () => (BigInt(R[1] >>> 0) << 32n) | BigInt(R[0] >>> 0), i64 = () => BigInt.asIntN(64, u64());
  const whole = (x) => (Number.isFinite(x) ? BigInt(Math.floor(x)) : 0n);
  const copy = (to, from, count) => { to >>>= 0; from >>>= 0; for (let i = 0; i < count; i++) mcu.writeUint8(to + i, mcu.readUint8(from + i)); };
  const fill = (to, value, count) => { to >>>= 0; for (let i = 0; i < count; i++) mcu.writeUint8(to + i, value & 255); };
  const functions = [], byCode = {};
  const add = (done) => {
    const n = functions.push(done) - 1, at = 0x200 + 4 * n;
    halves[at >> 1] = 0xbe00 | n;
    halves[(at >> 1) + 1] = 0x4770;
    return at | 1;
  };
  const code = (name) => name.charCodeAt(0) | (name.charCodeAt(1) << 8);
  const define = (name, done) => { byCode[code(name)] = add(done); };
  const lookUp = add(() => { const wanted = R[1] & 0xffff; give((R[0] === 0x100 ? byCode[wanted] : data[wanted]) || 0); });
  define('P3', () => { let v = R[0] >>> 0, n = 0; while (v) { n += v & 1; v >>>= 1; } give(n); });
  define('R3', () => { let v = R[0] >>> 0, n = 0; for (let i = 0; i < 32; i++) { n = (n << 1) | (v & 1); v >>>= 1; } give(n); });
  define('L3', () => give(Math.clz32(R[0])));
  define('T3', () => { const v = R[0] >>> 0; give(v ? 31 - Math.clz32(v & -v) : 32); });
  for (const name of ['MS', 'S4']) define(name, () => fill(R[0], R[1], R[2] >>> 0));
  for (const name of ['MC', 'C4']) define(name, () => copy(R[0], R[1], R[2] >>> 0));
  for (const name of ['UB', 'IF', 'EX', 'FC', 'CX']) define(name, () => {});
  define('RE', () => { flash.fill(0xff, R[0], R[0] + R[1]); });
  define('RP', () => { const at = R[0], from = R[1] >>> 0; for (let i = 0; i < R[2]; i++) flash[at + i] &= mcu.readUint8(from + i); });
  const floats = [
    () => give(W(F(R[0]) + F(R[1]))), () => give(W(F(R[0]) - F(R[1]))), () => give(W(F(R[0]) * F(R[1]))), () => give(W(F(R[0]) / F(R[1]))),
    () => { const a = F(R[0]), b = F(R[1]); give(a < b ? -1 : a > b ? 1 : 0); },
    () => { const a = F(R[0]), b = F(R[1]); core.Z = a === b; core.C = a >= b; core.N = a < b; core.V = false; },
    () => give(W(Math.sqrt(F(R[0])))), () => give(signed(Math.floor(F(R[0])))), () => give(signed(Math.floor(F(R[0]) * 2 ** R[1]))),
    () => give(unsigned(Math.floor(F(R[0])))), () => give(unsigned(Math.floor(F(R[0]) * 2 ** R[1]))),
    () => give(W(R[0] | 0)), () => give(W((R[0] | 0) / 2 ** R[1])), () => give(W(R[0] >>> 0)), () => give(W((R[0] >>> 0) / 2 ** R[1])),
    () => give(W(Math.cos(F(R[0])))), () => give(W(Math.sin(F(R[0])))), () => give(W(Math.tan(F(R[0])))),
    () => { const x = F(R[0]); R[0] = W(Math.sin(x)); R[1] = W(Math.cos(x)); }, () => give(W(Math.exp(F(R[0])))), () => give(W(Math.log(F(R[0])))),
    () => { const a = F(R[0]), b = F(R[1]); give(a < b ? -1 : a > b ? 1 : 0); }, () => give(W(Math.atan2(F(R[0]), F(R[1])))),
    () => give(W(Number(i64()))), () => give(W(Number(i64()) / 2 ** R[2])), () => give(W(Number(u64()))), () => give(W(Number(u64()) / 2 ** R[2])),
    () => give64(whole(F(R[0]))), () => give64(whole(F(R[0]) * 2 ** R[1])), () => give64(whole(Math.max(0, F(R[0])))), () => give64(whole(Math.max(0, F(R[0]) * 2 ** R[1]))),
    () => { const view = new DataView(new ArrayBuffer(8)); view.setFloat64(0, F(R[0]), true); R[0] = view.getUint32(0, true); R[1] = view.getUint32(4, true); },
  ];
  const FLOATS = 0x600;
  floats.forEach((done, i) => { rom[(FLOATS >> 2) + i] = add(done); });
  bytes[FLOATS - 2] = 32;
  const data = { [code('SF')]: FLOATS };
  rom[0] = 0x20042000;
  bytes.set([0x4d, 0x75, 1, 3], 0x10); // "Mu", version 3
  halves[0x14 >> 1] = 0x100;
  halves[0x16 >> 1] = 0x120;
  halves[0x18 >> 1] = lookUp;
  mcu.loadBootrom(rom);
  mcu.onBreak = (n) => {
    if (!functions[n]) throw new Error(`BKPT ${n} at ${(core.PC >>> 0).toString(16)}`);
    functions[n]();
  };
}
