// A WebAssembly module of doors: functions `code = door(out, ...)`, which write their result at `out` (docs/wasm.md).

const OUT = 128; // bytes for the result of a door

export class DoorError extends Error {
  constructor(door, code) {
    super(`the door ${door} ended with code ${code}`);
    this.door = door;
    this.code = code;
  }
}

export class Module {
  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    /** @type {Record<string, any>} */
    this.doors = instance.exports;
    this.memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    this.places = new Map();
    this.out = this.reserve(OUT);
  }

  /**
   * Return a module from its bytes.
   * @param {BufferSource} bytes
   */
  static async load(bytes) {
    const {instance} = await WebAssembly.instantiate(bytes, {});
    return new Module(instance);
  }

  // Address of fresh memory, which is never freed.
  reserve(size) {
    return this.doors.reserve(size);
  }

  // Address of memory for one purpose, which grows with the need.
  reserveOnce(purpose, size) {
    const {at, size: there} = this.places.get(purpose) ?? {at: 0, size: 0};
    if (size <= there) return at;
    const place = {at: this.reserve(2 * size), size: 2 * size};
    this.places.set(purpose, place);
    return place.at;
  }

  call(door, ...given) {
    const code = this.doors[door](this.out, ...given);
    if (code !== 0) throw new DoorError(door, code);
  }

  // Memory may have grown, so that every look makes a new array.
  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at, size);
  }

  words(at, count) {
    return new Int16Array(this.memory.buffer, at, count);
  }

  // Results: whole numbers, a number of 64 bits, or floating-point numbers.
  whole(count) {
    return Array.from(new BigInt64Array(this.memory.buffer, this.out, count), Number);
  }

  wide() {
    return new BigUint64Array(this.memory.buffer, this.out, 1)[0];
  }
}

// Append to an array of 16-bit words.
export function joined(first, second) {
  const whole = new Int16Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
