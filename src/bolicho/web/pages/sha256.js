// SHA-256 (FIPS 180-4) and the seed of a fair deal; `crypto.subtle` does not exist on plain http.

// The constants are the first 32 bits of the fractional parts of the square and cube roots of the first primes.
const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const fraction = (x) => ((x % 1) * 2 ** 32) >>> 0;
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const K = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

const turn = (x, by) => (x >>> by) | (x << (32 - by));

// Digest of bytes, 32 bytes long.
export function sha256(bytes) {
  const length = bytes.length;
  const padded = new Uint8Array((((length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[length] = 0x80;
  const data = new DataView(padded.buffer);
  data.setUint32(padded.length - 8, Math.floor(length / 2 ** 29));
  data.setUint32(padded.length - 4, length << 3);
  const hash = Uint32Array.from(START);
  const w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = data.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    compress(hash, w);
  }
  const out = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

function compress(hash, w) {
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
}

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const utf8 = (text) => new TextEncoder().encode(text);

// Nonce of this browser, and its commitment.
export const freshNonce = () => hex(crypto.getRandomValues(new Uint8Array(16)));
export const nonceCommit = (nonce) => hex(sha256(unhex(nonce)));

// JSON in ASCII with sorted keys and no spaces: the same text as the server's for the same value.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") {
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
  const entries = Object.keys(value).sort().map((key) => `${canonical(key)}:${canonical(value[key])}`);
  return `{${entries.join(",")}}`;
}

const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));

// The server's commitment, from the result of GET /api/matches/ID/fair; version 1 covers only the secret.
export function commitmentOf({version, secret, match, game, rules, agents}) {
  if (version === 1) return hex(sha256(unhex(secret)));
  return hex(sha256(join(utf8("bolicho commit 2\0"), unhex(secret), utf8(canonical({match, game, rules, agents})))));
}

// The seed of a deal, a decimal text (it has 64 bits), from the same result.
export function dealSeed({version, secret, nonces, match, game, rules, agents, players}) {
  const terms = utf8(canonical({match, game, rules, agents, players, nonces}));
  const bytes =
    version === 1
      ? join(utf8("bolicho deal\0"), unhex(secret), ...nonces.flatMap((nonce) => [[1], unhex(nonce ?? "")]))
      : join(utf8("bolicho deal 2\0"), unhex(secret), terms);
  return BigInt(`0x${hex(sha256(bytes).subarray(0, 8))}`).toString();
}
