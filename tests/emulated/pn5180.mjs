// A PN5180 with an antenna and tags over it. It shares no code with the firmware's driver or with the project's own simulated
// chip. No real chip has been at hand, so it matters where each rule comes from:
//
// - Data sheet (NXP PN5180, rev. 4.0), as the design study and the review of 0.1.0 quote it: command codes and lengths, the
//   register addresses up to 26h and DPC_CONFIG (27h), IRQ and status bits, no frame while BUSY, half duplex, SEND_DATA only in
//   WaitTransmit, an end of frame alone without data and start symbol, TIMER1 that an answer stops only after four data bits,
//   RF_ON with collision avoidance unless its parameter forbids it, a boot of 2.3 to 2.5 ms. ISO 15693 gives the air times.
// - A public log of a real chip (playfultechnology/arduino-rfid-PN5180, issue 1): after an answer IRQ_STATUS is 4007h, that is a
//   start of frame without the subcarrier bit; RX_STATUS is 0Ah, ten bytes without the CRC.
// - Assumed, with nothing to check it against: every time in TYPICAL but `boot`, `avoidance` and `t1`; the address of ANT_CONTROL
//   (29h) and the fields inside DPC_CONFIG; register values after a reset and after LOAD_RF_CONFIG; COLL_POS counted from 0; random
//   bits behind a collision; `gain`, a made-up curve that only rises with the voltage at the coil and with the transmit power.
//
// `times` varies what is assumed. A host that breaks a rule (a frame while BUSY is high, a send that was not prepared, a request
// before the tags are awake) is counted in `errors`.

const FC = 13.56; // MHz; times of the standard are in carrier cycles, ours in microseconds
const us = (cycles) => cycles / FC;
const BYTE = us(4096), REQUEST_SOF = us(1024), EOF = us(512), BIT = us(512), REPLY_SOF = us(2048), REPLY_EOF = us(2048);
const T2 = us(4192); // a tag that has answered hears nothing before
const AWAKE = 1000; // field to the first request

const RX = 1 << 0, TX = 1 << 1, IDLE = 1 << 2, RFOFF = 1 << 8, RFON = 1 << 9, RF_ACTIVE_ERROR = 1 << 10;
const TIMER1 = 1 << 12, SOF_DET = 1 << 14, TEMPSENS = 1 << 16, GENERAL_ERROR = 1 << 17;

// Registers a host may use (table 74, and 27h to 29h), with what a reset leaves in them (assumed).
const REGISTERS = {
  0x00: 0, 0x01: 0, 0x02: 0, 0x03: 0, 0x04: 0, 0x05: 0, 0x07: 0, 0x0b: 0, 0x0c: 0, 0x0d: 0, 0x0e: 0, 0x0f: 0, 0x10: 0, 0x11: 0, 0x12: 0, 0x13: 0,
  0x14: 0, 0x15: 0, 0x16: 0, 0x17: 0, 0x18: 0, 0x19: 0, 0x1a: 0, 0x1b: 0, 0x1c: 0, 0x1d: 0, 0x1e: 0, 0x1f: 0, 0x20: 0, 0x21: 0, 0x22: 0, 0x23: 0,
  0x24: 0, 0x25: 0, 0x26: 0, 0x27: 0x0f7f, 0x28: 0, 0x29: 0,
};
const READ_ONLY = [0x02, 0x13, 0x1d, 0x24];

export const TYPICAL = {
  boot: 2400, // data sheet: RESET_N to IDLE_IRQ 2.3 to 2.5 ms, longer with a slow crystal
  busy: 40, // assumed: after a frame
  avoidance: 302, // ISO 18092: initial delay time of RF collision avoidance, unless RF_ON forbids it
  field: 50, // assumed: from there to TX_RFON
  send: 60, // assumed: SEND_DATA to the first pulse
  t1: us(4352), // ISO 15693: request to answer, 4320 to 4384 carrier cycles
  sof: 30, // assumed: RX_SOF_DET after the start of frame has ended
  done: 20, // assumed: RX_IRQ after the end of frame
};

export class PN5180 {
  // `clock` has nanos; `coil` has tags (ids as BigInt) and disturbed (a foreign field); `chance` gives numbers from 0 to 1.
  constructor(clock, coil, chance, times = {}) {
    Object.assign(this, { clock, coil, chance, times: { ...TYPICAL, ...times }, running: false, errors: [], frames: 0, fieldOns: 0 });
    this.die = Array.from({ length: 16 }, () => Math.floor(chance() * 256));
    this.fault = '';
    this.restart();
  }

  get now() { return this.moment ?? this.clock.nanos / 1000; }

  restart() {
    this.registers = { ...REGISTERS };
    this.irq = 0;
    this.events = [];
    this.bootedAt = this.now + this.times.boot;
    if (this.running) this.at(this.bootedAt, () => { this.irq |= IDLE; }, true);
    this.busyUntil = 0;
    this.frame = null;
    this.reply = [];
    this.protocol = null;
    this.state = 'idle';
    this.received = [];
    this.rxStatus = 0;
    this.timer = null;
    this.fieldOff();
  }

  // Stopping the transceiver makes it forget what was to come, but for what is kept.
  at(time, happens, keep = false) {
    this.events.push({ time, happens, keep });
    this.events.sort((a, b) => a.time - b.time);
  }

  // What has happened until now, each thing at its own time.
  settle() {
    const until = this.clock.nanos / 1000;
    while (this.events.length && this.events[0].time <= until) {
      const event = this.events.shift();
      this.moment = event.time;
      event.happens();
    }
    this.moment = null;
  }

  error(why) { if (this.errors.length < 50) this.errors.push(`${Math.round(this.now)} ${why}`); }

  // --- pins -------------------------------------------------------------------------------------------------------

  reset(level) {
    if (!!level === this.running) return;
    this.running = !!level;
    this.restart();
  }

  busy() {
    if (this.fault === 'stuck') return true;
    return this.running && this.fault !== 'absent' && this.now < this.busyUntil;
  }

  select() {
    if (this.deaf()) return;
    this.settle();
    if (this.busy()) {
      this.error('frame while BUSY');
      this.irq |= GENERAL_ERROR;
      this.frame = 'ignored';
      return;
    }
    this.frame = [];
    this.answered = 0;
  }

  // One byte each way. Half duplex: while an answer waits it is clocked out, else the byte is part of a command.
  exchange(byte) {
    if (this.deaf() || !this.frame || this.frame === 'ignored') return 0xff;
    if (this.reply.length) {
      this.answered++;
      return this.answered <= this.reply.length ? this.reply[this.answered - 1] : 0xff;
    }
    this.frame.push(byte);
    return 0xff;
  }

  deselect() {
    const frame = this.frame;
    this.frame = null;
    if (this.deaf() || !frame || frame === 'ignored') return;
    this.settle();
    this.frames++;
    this.busyUntil = this.now + this.times.busy;
    if (this.reply.length) { this.reply = []; return; }
    if (!frame.length) return;
    if (!this.command(frame)) {
      this.irq |= GENERAL_ERROR;
      this.error(`refused ${frame.map((b) => b.toString(16)).join(' ')}`);
    }
  }

  deaf() { return !this.running || this.fault === 'absent' || this.now < this.bootedAt; }

  // --- commands ---------------------------------------------------------------------------------------------------

  command(frame) {
    const [code, ...rest] = frame;
    const word = (at) => (rest[at] | (rest[at + 1] << 8) | (rest[at + 2] << 16) | (rest[at + 3] << 24)) >>> 0;
    switch (code) {
      case 0x00: return rest.length === 5 && this.write(rest[0], 1, word(1));
      case 0x01: return rest.length === 5 && this.write(rest[0], 2, word(1));
      case 0x02: return rest.length === 5 && this.write(rest[0], 3, word(1));
      case 0x03: {
        if (rest.length % 6 || rest.length > 252) return false;
        for (let at = 0; at < rest.length; at += 6) if (!this.write(rest[at], rest[at + 1], word(at + 2))) return false;
        return true;
      }
      case 0x04: case 0x05: {
        if (!rest.length || rest.length > (code === 0x04 ? 1 : 18) || rest.some((register) => !(register in REGISTERS))) return false;
        this.reply = rest.flatMap((register) => { const value = this.read(register); return [0, 8, 16, 24].map((shift) => (value >>> shift) & 255); });
        return true;
      }
      case 0x07: {
        const eeprom = [...this.die, 0x00, 0x04, 0x00, 0x04, 0x00, 0x99];
        if (rest.length !== 2 || !rest[1]) return false;
        this.reply = Array.from({ length: rest[1] }, (_, i) => eeprom[rest[0] + i] ?? 0);
        return true;
      }
      case 0x08: this.loaded = rest; return rest.length >= 1 && rest.length <= 260;
      case 0x09: return rest.length >= 1 && this.send(rest.slice(1));
      case 0x0a: {
        if (rest.length !== 1) return false;
        this.reply = this.received.length ? [...this.received, ...Array(508 - this.received.length).fill(0)] : [0];
        return true;
      }
      case 0x11: {
        if (rest.length !== 2 || ![0x0d, 0x0e].includes(rest[0]) || ![0x8d, 0x8e].includes(rest[1])) return false;
        this.protocol = rest;
        this.registers[0x18] = 0x0749; // start and stop symbol, data
        this.registers[0x29] = 0x10; // antenna shorted in reader mode
        this.busyUntil = this.now + 4 * this.times.busy;
        return true;
      }
      case 0x16: return rest.length === 1 && this.fieldOn(rest[0] & 1);
      case 0x17: {
        if (rest.length !== 1) return false;
        this.fieldOff();
        this.irq |= RFOFF;
        return true;
      }
      default: return false;
    }
  }

  write(register, action, value) {
    if (!(register in REGISTERS) || READ_ONLY.includes(register) || ![1, 2, 3].includes(action)) return false;
    if (register === 0x03) { this.irq &= ~value; return true; }
    const old = this.registers[register];
    const now = (action === 1 ? value : action === 2 ? old | value : old & value) >>> 0;
    this.registers[register] = now;
    if (register === 0x00) {
      if ((now & 7) === 0) {
        if (this.state !== 'idle') this.events = this.events.filter((event) => event.keep);
        this.state = 'idle';
        this.timer = null;
      } else if ((now & 7) === 3 && this.state === 'idle') this.state = 'wait transmit';
      if ((now & 8) && (now & 7) === 3) {
        this.registers[0x00] &= ~8;
        return this.send(this.loaded || []);
      }
    }
    return true;
  }

  read(register) {
    if (register === 0x02) return this.irq >>> 0;
    if (register === 0x13) return this.rxStatus >>> 0;
    if (register === 0x1d) return ((this.field ? 1 << 17 : 0) | (this.state === 'wait transmit' ? 1 << 24 : 0) | (this.field ? this.gain() : 0)) >>> 0;
    return this.registers[register];
  }

  // The receiver's attenuation: the more voltage at the coil, the higher. Steps of DPC_CONFIG made up, see above.
  gain() {
    const power = ((this.registers[0x27] >> 4) & 15) + 4 * (3 - ((this.registers[0x27] >> 1) & 3));
    return Math.min(1023, Math.round((this.coil.voltage ?? 600) * (0.5 + power / 54) - 12 * this.coil.tags.length));
  }

  // --- radio ------------------------------------------------------------------------------------------------------

  fieldOn(direct) {
    this.fieldOns++;
    if (this.fault === 'no field') return true;
    const wait = direct ? 0 : this.times.avoidance;
    this.at(this.now + wait, () => {
      if (!direct && this.coil.disturbed) { this.irq |= RF_ACTIVE_ERROR; return; }
      if (this.coil.hot) { this.irq |= TEMPSENS; return; }
      this.field = true;
      this.fieldSince = this.now;
      this.at(this.now + this.times.field, () => { this.irq |= RFON; }, true);
    }, true);
    return true;
  }

  fieldOff() {
    this.field = false;
    this.quiet = new Set();
    this.round = null;
    this.spoke = -1e9; // when a tag last ended an answer
  }

  send(data) {
    if (this.state !== 'wait transmit') { this.error(`send while ${this.state}`); return false; }
    if (!this.field) { this.error('send without field'); return false; }
    if (this.fault === 'hung') return true;
    this.state = 'transmitting';
    const config = this.registers[0x18];
    const dataOn = config & 0x400, start = config & 0xc0, stop = config & 0x300;
    const begins = this.now + this.times.send;
    const whole = dataOn ? data.length + 2 : 0; // the chip adds the CRC
    const ends = begins + (start ? REQUEST_SOF : 0) + whole * BYTE + (stop ? EOF : 0);
    this.received = [];
    this.rxStatus = 0;
    this.at(ends, () => {
      this.irq |= TX;
      this.state = 'wait receive';
      const config = this.registers[0x0f];
      if ((config & 1) && (config & (1 << 11))) {
        const timer = (this.timer = {});
        const ticks = this.registers[0x0c] & 0xfffff;
        this.at(ends + ticks / FC, () => { if (this.timer === timer) { this.irq |= TIMER1; this.timer = null; } });
      }
    });
    const heard = begins >= this.fieldSince + AWAKE && begins >= this.spoke + T2;
    if (begins < this.fieldSince + AWAKE) this.error(`request ${Math.round(begins - this.fieldSince)} us after the field`);
    else if (begins < this.spoke + T2) this.error(`request ${Math.round(begins - this.spoke)} us after an answer`);
    let answering = [];
    if (dataOn && start && stop) answering = heard ? this.request(data) : [];
    else if (!dataOn && !start && stop) answering = heard ? this.nextSlot() : ((this.round = null), []);
    else this.error('neither a request nor an end of frame');
    if (answering.length) this.answer(answering, ends);
    return true;
  }

  request(data) {
    const [flags, command] = data;
    this.round = null;
    if ((flags & 0x07) === 0x06 && command === 0x01) {
      const length = data[2], bytes = data.slice(3);
      const most = flags & 0x20 ? 64 : 60;
      if (length > most || bytes.length !== Math.ceil(length / 8)) { this.error('malformed inventory'); return []; }
      const low = (1n << BigInt(length)) - 1n;
      const mask = bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n) & low;
      const fit = this.awake().filter((id) => (id & low) === mask && !this.quiet.has(id));
      if (flags & 0x20) return fit;
      this.round = { slot: 0, length, tags: fit };
      return this.inSlot();
    }
    if ((flags & 0x27) === 0x22 && command === 0x02 && data.length === 10) {
      this.quiet.add(data.slice(2).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n));
      return [];
    }
    this.error(`unknown request ${data}`);
    return [];
  }

  awake() { return this.coil.tags.filter(() => this.chance() >= (this.coil.misses || 0)); }

  nextSlot() {
    if (!this.round || this.round.slot >= 15) { this.error('end of frame outside a round'); return []; }
    this.round.slot++;
    return this.inSlot();
  }

  inSlot() {
    const { slot, length, tags } = this.round;
    return tags.filter((id) => Number((id >> BigInt(length)) & 15n) === slot);
  }

  answer(ids, ends) {
    const frames = ids.map((id) => [0, 0, ...Array.from({ length: 8 }, (_, i) => Number((id >> BigInt(8 * i)) & 255n))]);
    const bits = (frame, i) => (frame[i >> 3] >> (i & 7)) & 1;
    let clash = -1;
    for (let i = 0; i < 80 && clash < 0; i++) if (frames.some((frame) => bits(frame, i) !== bits(frames[0], i))) clash = i;
    const begins = ends + this.times.t1, data = begins + REPLY_SOF;
    const over = data + 12 * 8 * BIT + REPLY_EOF;
    this.spoke = over;
    this.at(data + this.times.sof, () => { this.irq |= SOF_DET; this.state = 'receiving'; });
    this.at(data + 4 * BIT, () => { if (this.registers[0x0f] & (1 << 20)) this.timer = null; }); // four bits stop the timer, not sooner
    this.at(over + this.times.done, () => {
      const received = [...frames[0]];
      // Behind a collision nobody knows what the receiver makes of it.
      for (let i = clash; clash >= 0 && i < 80; i++) received[i >> 3] = (received[i >> 3] & ~(1 << (i & 7))) | (Math.round(this.chance()) << (i & 7));
      this.received = received;
      this.rxStatus = 10 | (1 << 9) | (clash >= 0 ? (1 << 16) | (1 << 18) | (clash << 19) : 0);
      this.irq |= RX;
      this.state = 'idle';
    });
  }
}
