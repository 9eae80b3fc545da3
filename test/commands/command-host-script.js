// Runs command lines of the built program one after another in one process, each as if it had one of its own, with its own
// working directory and standard input. Starting the runtime, compiling the bundle and evaluating its modules is most of what a
// command costs. The first two are done once; a command line has the modules of the one before it if that had the same
// environment, succeeded and read nothing from its standard input, and otherwise a fresh copy. A command line is over when its process would be: when nothing is
// left to wait for. What ends a process at once ends this one, with the same exit code; its user then starts another.
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import threads from "node:worker_threads";

const [, , root, entry, mark] = process.argv;
const file = `${root}/dist/coin.cjs`;
const script = new Script(readFileSync(file, "latin1"), { filename: pathToFileURL(file).href });
const requireOutside = createRequire(file);
const { setTimeout, setInterval } = globalThis;
const globals = new Set(Reflect.ownKeys(globalThis));
const umask = process.umask();
const emitters = [process, process.stdout, process.stderr];

/** The exit code of a process that waits for something which can't come any more. */
const UNSETTLED = 13;
let isSettled = true;
/** Listeners of each emitter that are no command's, by event. */
let known = emitters.map(listenersOf);
/** The copy of the program's modules that the next command line may go on with, and the environment that it has seen. */
let evaluated;
let seen;
/** What would go with a process: threads and timers that nobody waits for. */
const workers = new Set();
const timers = new Set();

function listenersOf(emitter) {
	return new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]));
}

class TrackedWorker extends threads.Worker {
	constructor(...options) {
		super(...options);
		workers.add(this);
		super.once("exit", () => workers.delete(this));
	}
}

function requireTracked(name) {
	const module = requireOutside(name);
	return module === threads ? { ...threads, Worker: TrackedWorker } : module;
}

const tracked = (start) =>
	Object.assign((...words) => {
		const timer = start(...words);
		timers.add(timer);
		return timer;
	}, start);

process.on("message", async ({ words, stdin, environment, directory }) => {
	process.channel.unref();
	known = emitters.map(listenersOf);
	process.argv = [process.execPath, entry, ...words];
	replaceEnvironment(environment);
	process.chdir(directory);
	const input = Readable.from(stdin === "" ? [] : [Buffer.from(stdin)], { objectMode: false });
	Object.defineProperty(process, "stdin", { configurable: true, enumerable: true, value: input });
	globalThis.setTimeout = tracked(setTimeout);
	globalThis.setInterval = tracked(setInterval);
	isSettled = false;
	const bundle = takeEvaluated(JSON.stringify(environment)) ?? evaluate();
	await bundle.main(words, root);
	isSettled = true;
	// An empty input that was read has ended without a read.
	if (!input.readableDidRead && !input.readableEnded) evaluated = bundle;
});

function takeEvaluated(environment) {
	const bundle = seen === environment ? evaluated : undefined;
	evaluated = undefined;
	seen = environment;
	return bundle;
}

function evaluate() {
	const bundle = { exports: {} };
	script.runInThisContext()(bundle.exports, requireTracked, bundle, file, dirname(file));
	return bundle.exports;
}

process.on("beforeExit", async () => {
	const code = process.exitCode ?? (isSettled ? 0 : UNSETTLED);
	if (code !== 0) evaluated = undefined;
	// Until the answer is on its way, and the next command line comes.
	process.channel?.ref();
	// A process that can't be made as it was has run its last command line.
	if (!(await tidy())) process.exit(code);
	process.stdout.write(mark);
	process.stderr.write(mark);
	process.send?.(code);
});
process.on("disconnect", () => process.exit());

function replaceEnvironment(environment) {
	for (const name of Object.keys(process.env)) delete process.env[name];
	Object.assign(process.env, environment);
}

/** Takes away whatever a command line has left in this process. @returns whether nothing is left */
async function tidy() {
	for (const timer of timers) clearTimeout(timer);
	timers.clear();
	Object.assign(globalThis, { setTimeout, setInterval });
	await Promise.all([...workers].map((worker) => worker.terminate()));
	for (const [index, emitter] of emitters.entries()) {
		for (const [name, listeners] of listenersOf(emitter)) {
			const own = listeners.filter((listener) => !known[index].get(name)?.includes(listener));
			for (const listener of own) emitter.removeListener(name, listener);
		}
	}
	http.globalAgent.destroy();
	https.globalAgent.destroy();
	process.umask(umask);
	process.exitCode = undefined;
	// The directory is the test's, which removes it.
	process.chdir(root);
	const further = Reflect.ownKeys(globalThis).filter((key) => !globals.has(key));
	return further.every((key) => Reflect.deleteProperty(globalThis, key));
}
