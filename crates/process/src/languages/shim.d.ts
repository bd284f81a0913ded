// What bots on the site find already there, for the TypeScript compiler.
declare function readline(): string;
declare function print(...values: any[]): void;
declare function putstr(value: any): void;
declare function printErr(...values: any[]): void;
declare function require(name: string): any;
declare function setTimeout(call: (...values: any[]) => void, ms?: number, ...values: any[]): any;
declare const console: { log(...values: any[]): void; error(...values: any[]): void; warn(...values: any[]): void };
declare const performance: { now(): number };
declare const process: any;
declare const Buffer: any;
