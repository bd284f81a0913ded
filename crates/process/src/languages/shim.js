// What bots on the site find already there. Loaded before the bot, with `node --require`.
"use strict";
const fs = require("fs");
const { StringDecoder } = require("string_decoder");

const chunk = Buffer.alloc(1 << 16);
const decoder = new StringDecoder("utf8");
let text = "";
let ended = false;

function fill() {
  try {
    const count = fs.readSync(0, chunk, 0, chunk.length, null);
    ended = count === 0;
    text += ended ? decoder.end() : decoder.write(chunk.subarray(0, count));
  } catch (error) {
    if (error.code === "EOF") ended = true;
    else if (error.code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    else throw error;
  }
}

// The next line without its end, or null when there is none.
globalThis.readline = () => {
  let end;
  while ((end = text.indexOf("\n")) < 0 && !ended) fill();
  if (end < 0) {
    const rest = text;
    text = "";
    return rest === "" ? null : rest;
  }
  const line = text.slice(0, end);
  text = text.slice(end + 1);
  return line.endsWith("\r") ? line.slice(0, -1) : line;
};

globalThis.print = (...values) => fs.writeSync(1, values.join(" ") + "\n");
globalThis.putstr = (value) => fs.writeSync(1, String(value));
globalThis.printErr = (...values) => console.error(...values);
