// What lies between the controller's pins and the readers, from hardware/pinmap.json: either the table's shift registers and
// decoders, or a pin each. Pins change, chips are selected; the chips' BUSY comes back.

export class TableWiring {
  // Six 74HC595 in a chain: RESET of every reader, a column address for every row; 74HC138 for NSS, 74HC151 for BUSY.
  constructor(pins, shift, chips, errors) {
    this.pins = pins;
    this.chips = chips;
    this.errors = errors;
    this.chain = Array(48).fill(0);
    this.latched = Array(48).fill(0);
    this.enabled = Array(5).fill(false);
    this.selected = Array(5).fill(null);
    this.resets = chips.map((_, n) => shift[`RESET_${n}`]);
    this.addresses = Array.from({ length: 5 }, (_, row) => [0, 1, 2].map((i) => shift[`ROW${row}_A${i}`]));
    this.turns = 0;
  }

  connect(mcu) {
    const { pins } = this;
    const level = (pin) => mcu.gpio[pins[pin]].outputValue;
    this.level = level;
    this.on(mcu, 'SRCLK', (high) => { if (high) { this.chain.pop(); this.chain.unshift(level('SER') ? 1 : 0); } });
    this.on(mcu, 'RCLK', (high) => { if (high) this.latch(); });
    for (let row = 0; row < 5; row++) this.on(mcu, `EN${row}`, (high) => this.enable(row, !high));
  }

  on(mcu, name, changed) {
    let before = null;
    mcu.gpio[this.pins[name]].addListener((state) => {
      const high = state === 1; // GPIOPinState.High
      if (state !== 0 && state !== 1) return;
      if (high !== before) { before = high; changed(high); }
    });
  }

  column(row) { return this.addresses[row].reduce((value, bit, i) => value | (this.latched[bit] << i), 0); }

  latch() {
    const before = [0, 1, 2, 3, 4].map((row) => this.column(row));
    this.latched = [...this.chain];
    this.turns++;
    this.chips.forEach((chip, n) => chip.reset(this.latched[this.resets[n]]));
    for (let row = 0; row < 5; row++) {
      if (this.enabled[row] && this.column(row) !== before[row]) { this.errors.push(`row ${row} turned while enabled`); this.enable(row, false); this.enable(row, true); }
    }
  }

  enable(row, on) {
    if (on === this.enabled[row]) return;
    this.enabled[row] = on;
    if (on) {
      const chip = this.column(row) < 6 ? this.chips[row * 6 + this.column(row)] : null;
      this.selected[row] = chip;
      chip?.select();
    } else {
      this.selected[row]?.deselect();
      this.selected[row] = null;
    }
  }

  // All selected chips hear a byte; each row drives MISO through a buffer of its own: low wins if several do.
  exchange(byte) { return this.selected.reduce((value, chip) => (chip ? value & chip.exchange(byte) : value), 0xff); }

  busy(mcu) {
    for (let row = 0; row < 5; row++) {
      const chip = this.column(row) < 6 ? this.chips[row * 6 + this.column(row)] : null;
      mcu.gpio[this.pins[`BUSY${row}`]].setInputValue(!!chip?.busy());
    }
  }
}

export class PlainWiring {
  // `places` are [NSS, BUSY, RESET] for each chip.
  constructor(places, chips) {
    Object.assign(this, { places, chips, selected: new Set(), turns: 0 });
  }

  connect(mcu) {
    this.places.forEach(([nss, , reset], n) => {
      let selected = false;
      mcu.gpio[nss].addListener((state) => {
        if (state === 0 && !selected) { selected = true; this.selected.add(this.chips[n]); this.chips[n].select(); }
        if (state === 1 && selected) { selected = false; this.selected.delete(this.chips[n]); this.chips[n].deselect(); }
      });
      mcu.gpio[reset].addListener((state) => { if (state === 0 || state === 1) this.chips[n].reset(state); });
    });
  }

  exchange(byte) { return [...this.selected].reduce((value, chip) => value & chip.exchange(byte), 0xff); }

  busy(mcu) { this.places.forEach(([, busy], n) => mcu.gpio[busy].setInputValue(this.chips[n].busy())); }
}
