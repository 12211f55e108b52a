// Synthesized sounds: wood, paper and a guitar's string.  Off by default.

import {settings} from "/a/settings.js";

let audio = null;

const SOUNDS = {
  card: (at) => noise(at, 0.09, 1800, 0.5),
  knock: (at) => [0, 0.11].forEach((late) => drum(at + late, 190, 0.07, 0.35)),
  call: (at) => [220, 277, 330].forEach((pitch, i) => pluck(at + i * 0.05, pitch, 0.5)),
  point: (at) => [1318, 1760].forEach((pitch, i) => pluck(at + i * 0.07, pitch, 0.25)),
  win: (at) => [262, 330, 392, 523].forEach((pitch, i) => pluck(at + i * 0.13, pitch, 0.9)),
  lose: (at) => [330, 294, 247].forEach((pitch, i) => pluck(at + i * 0.16, pitch, 0.8)),
};

export function play(name) {
  if (!settings.sound || document.hidden) return;
  try {
    audio ??= new AudioContext();
    if (audio.state === "suspended") audio.resume();
    SOUNDS[name]?.(audio.currentTime + 0.01);
  } catch {
    // no audio available
  }
}

function through(source, at, length, loud) {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(loud * settings.sound, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  source.connect(gain).connect(audio.destination);
}

function noise(at, length, pitch, loud) {
  const buffer = audio.createBuffer(1, audio.sampleRate * length, audio.sampleRate);
  buffer.getChannelData(0).forEach((_, i, data) => (data[i] = Math.random() * 2 - 1));
  const source = new AudioBufferSourceNode(audio, {buffer});
  const filter = new BiquadFilterNode(audio, {type: "bandpass", frequency: pitch, Q: 0.8});
  through(source.connect(filter), at, length, loud);
  source.start(at);
}

function drum(at, pitch, length, loud) {
  const source = new OscillatorNode(audio, {type: "sine", frequency: pitch});
  source.frequency.exponentialRampToValueAtTime(pitch / 2, at + length);
  through(source, at, length, loud);
  source.start(at);
  source.stop(at + length);
}

// Karplus-Strong synthesis: noise in a feedback loop with a low-pass filter.
function pluck(at, pitch, length) {
  const rate = audio.sampleRate;
  const ring = Float32Array.from({length: Math.round(rate / pitch)}, () => Math.random() * 2 - 1);
  const buffer = audio.createBuffer(1, rate * length, rate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < data.length; i++) {
    const here = i % ring.length;
    data[i] = ring[here];
    ring[here] = 0.498 * (ring[here] + ring[(here + 1) % ring.length]);
  }
  const source = new AudioBufferSourceNode(audio, {buffer});
  through(source, at, length, 0.6);
  source.start(at);
}
