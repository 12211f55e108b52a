// Records as structures: fields read by the description of a game, as `bolicho.games.fields` does.

const READ = {
  i1: "getInt8", u1: "getUint8", i2: "getInt16", u2: "getUint16", i4: "getInt32", u4: "getUint32",
  i8: "getBigInt64", u8: "getBigUint64", f4: "getFloat32", f8: "getFloat64",
};
const WORD = 64; // bits
const MACHINERY = ["seed", "turn", "events", "num_events"];

export class Reader {
  constructor({record, enumerations}) {
    this.fields = new Map(record.fields.map((field) => [field.name, field]));
    this.shown = record.shown;
    this.names = new Map(Object.entries(enumerations).map(([name, pairs]) => [name, new Map(pairs)]));
  }

  // The meanings of an enumeration, by number.
  of(name) {
    return this.names.get(name);
  }

  // A field of a record, with names in the place of numbers where the description has them.
  read(record, name) {
    const field = this.fields.get(name);
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    const size = Number(field.type[1]);
    const known = this.names.get(field.names ?? field.bits);
    const one = (at) => {
      const value = view[READ[field.type]](at, true);
      if (field.bits) return value;
      const number = Number(value);
      return field.names ? known.get(number) : number;
    };
    const nested = (at, shape) => {
      if (!shape.length) return one(at);
      const [count, ...inner] = shape;
      const step = size * inner.reduce((product, length) => product * length, 1);
      const parts = Array.from({length: count}, (_, i) => nested(at + step * i, inner));
      return field.bits && !inner.length ? namesOfBits(parts, known) : parts;
    };
    return nested(field.offset, field.shape);
  }

  // All declared fields; for a game that declares none, the numbers of its record.
  all(record) {
    const names = this.shown ?? [...this.fields.keys()].filter(
      (name) => !MACHINERY.includes(name) && !name.startsWith("rule_"));
    return Object.fromEntries(names.map((name) => [name, this.read(record, name)]));
  }
}

function namesOfBits(words, known) {
  const bits = words.reduce((sum, word, i) => sum | (BigInt.asUintN(WORD, BigInt(word)) << BigInt(WORD * i)), 0n);
  const found = [];
  for (let i = 0, rest = bits; rest; i++, rest >>= 1n) if (rest & 1n) found.push(known.get(i));
  return found;
}
