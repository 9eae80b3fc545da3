/** What no compiler and no linter looks for: names that are exported for no one, facts that stand twice, files that are too long. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const MAX_LINES = 600;

interface Source {
	readonly path: string;
	readonly text: string;
}

function sourcesOf(...folders: string[]): Source[] {
	return folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((name) => name.endsWith(".ts"))
			.map((name) => join(folder, name))
			.filter((path) => !path.includes("/generated/"))
			.map((path) => ({ path, text: readFileSync(path, "utf8") })),
	);
}

const sources = sourcesOf("src");
const entry = { path: "bin/coin.js", text: readFileSync("bin/coin.js", "utf8") };
const everything = [...sources, ...sourcesOf("test", "bench", "scripts", "tools"), entry];

/** Files whose exports are for others than this repository's code: commands, the package's entries, re-exports. */
const FOR_OTHERS = /^src\/(?:commands|library)\//;

const EXPORT =
	/^export (?:declare )?(?:abstract )?(?:async )?(?:const|function\*?|class|interface|type|enum|let) ([A-Za-z_$][\w$]*)/gm;

/** The words of the code, without comments. */
function wordsOf(text: string): Set<string> {
	const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
	return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

/** Exports that no other file has a word for. */
function unusedExports(exporting: readonly Source[], using: readonly Source[]): string[] {
	const users = new Map<string, number>();
	for (const { text } of using) {
		for (const word of wordsOf(text)) users.set(word, (users.get(word) ?? 0) + 1);
	}
	return exporting
		.filter(({ path }) => !FOR_OTHERS.test(path))
		.flatMap(({ path, text }) =>
			[...text.matchAll(EXPORT)]
				.map(([, name]) => name as string)
				.filter((name) => (users.get(name) ?? 0) < 2)
				.map((name) => `${path}: ${name}`),
		);
}

/** Constants of the same name and value that mean different things, which may change apart. */
const EQUAL_BY_CHANCE: ReadonlySet<string> = new Set([
	// Limits of different subjects.
	'MAX_PAGE = "1000"',
	"MAX_PAGE = 1_000n",
	"MAX_NAME_LENGTH = 32",
	"MAX_URL_LENGTH = 256",
	"MAX_BATCH = 100",
	"MAX_ANSWERS = 16",
	"MAX_ADDRESSES = 10_000",
	"MAX_DATAGRAM = 2048",
	"MAX_VOTES = 30",
	"MAX_DEPTH = 64",
	"PER_ADDRESS = TOTAL / 2",
	"POOLED = 64",
	"SNAPPY = 1",
	"UNUSED = \"the network's node doesn't use it either\"",
	"ID_LENGTH = 32",
	"WORD = 32",
	// Times of different subjects.
	"TURN_MS = 10",
	"STALLED_MS = 60_000",
	"CLOSE_GRACE_MS = 1_000",
	"POLL_MS = 1000",
	"JSON_MS = 500",
	"HOUR_MS = 3_600_000",
]);

const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [^=]+)? = ([^;]+);/gm;

/** Constants that stand in more than one file. */
function repeatedConstants(files: readonly Source[]): string[] {
	const places = new Map<string, string[]>();
	for (const { path, text } of files) {
		for (const [, name, value] of text.matchAll(CONSTANT)) {
			// A row of a table, looked up by its name.
			if (/^contractType\(/.test(value as string)) continue;
			const fact = `${name} = ${(value as string).replace(/\s+/g, " ")}`;
			places.set(fact, [...(places.get(fact) ?? []), path]);
		}
	}
	return [...places]
		.filter(([fact, paths]) => paths.length > 1 && !EQUAL_BY_CHANCE.has(fact))
		.map(([fact, paths]) => `${fact}: ${paths.join(", ")}`);
}

/** Where one name stands in several files for good reasons: files that all bear the name, and what they have in common. */
const SAME_NAME: readonly (readonly [RegExp, string])[] = [
	[/^src\/node\/(?:contracts|vm\/instructions)\//, "what a transaction and an instruction do alike"],
	[/^src\/node\/(?:tokens\/holdings|vm\/instructions\/tokens)\./, "what an instruction answers"],
	[/^src\/node\/api\/(?:development|jsonrpc)\/methods\//, "the methods of one interface, by subject"],
	[/^src\/node\/api\/(?:jsonrpc\/)?older\/answers\./, "answers of older releases, per server"],
	[/^src\/(?:node\/config|wallet\/configuration)\/settings\./, "the settings of a node, and of the commands"],
	[
		/\/(?:declared-types|result-shape|parameter-checks|development-founding|setting)\.ts$/,
		"the words of which the rows of a table consist",
	],
];

/** Names that two files export, except for {@link SAME_NAME}; the explorer's page is a program of its own. */
function namesTwice(files: readonly Source[]): string[] {
	const places = new Map<string, string[]>();
	for (const { path, text } of files) {
		if (path.startsWith("src/explorer/")) continue;
		for (const name of new Set([...text.matchAll(EXPORT)].map((match) => match[1] as string)))
			places.set(name, [...(places.get(name) ?? []), path]);
	}
	return [...places]
		.filter(([, paths]) => paths.length > 1)
		.filter(([, paths]) => !SAME_NAME.some(([place]) => paths.every((path) => place.test(path))))
		.map(([name, paths]) => `${name}: ${paths.join(", ")}`);
}

function longFiles(files: readonly Source[]): string[] {
	return files
		.map(({ path, text }) => `${path}: ${text.split("\n").length - 1}`)
		.filter((line) => Number(line.split(": ")[1]) > MAX_LINES);
}

/** What recognises an error by its text or by the name of its class, instead of by the class. */
const BY_TEXT =
	/\b(?:error|failure|cause|reason)\??\.(?:name|message) [!=]==? "(?!")|\.message\??\.(?:includes|startsWith|endsWith|match)\(|\.test\(\w*(?:error|failure|cause)\w*\??\.message\)/gi;

/** Where errors of others come in that have no class of their own, or carry the network's names as data. */
const MAY_READ_TEXT: ReadonlySet<string> = new Set([
	// Its class is loaded with the prompt, and its name is what its makers document.
	"src/terminal/prompt/prompts.ts",
	// The framework throws its general class for a command that isn't there.
	"src/terminal/output/framework-errors.ts",
	// A refusal of a node, of which nothing but its text says why.
	"src/commands/stake.ts",
	// JavaScript itself has one class for many faults of what was typed.
	"src/terminal/console/console-prompt.ts",
]);

function errorsByText(files: readonly Source[]): string[] {
	return files
		.filter(({ path }) => !MAY_READ_TEXT.has(path) && !path.startsWith("src/protocol/json/"))
		.flatMap(({ path, text }) => [...text.matchAll(BY_TEXT)].map(([found]) => `${path}: ${found}`));
}

describe("every fault is found where it is planted", () => {
	test("an export that is used nowhere else", () => {
		const planted = { path: "src/a.ts", text: "export const lonely = 1;\nexport const shared = lonely;\n" };
		const user = { path: "src/b.ts", text: "// lonely\nconsole.log(shared);\n" };
		expect(unusedExports([planted], [planted, user])).toEqual(["src/a.ts: lonely"]);
	});

	test("a constant that stands twice", () => {
		const planted = ["src/a.ts", "src/b.ts"].map((path) => ({ path, text: "const MOST = 7 * 3;\n" }));
		expect(repeatedConstants(planted)).toEqual(["MOST = 7 * 3: src/a.ts, src/b.ts"]);
	});

	test("an error that is recognised by its text", () => {
		for (const text of [
			'if (error.message.includes("is damaged")) {}',
			'if (error instanceof Error && error.name === "BlockIdLengthError") {}',
			"if (/not found/.test(error.message)) {}",
			'if (cause?.message === "unexpected redirect") {}',
		]) {
			expect(errorsByText([{ path: "src/a.ts", text }])).toHaveLength(1);
		}
		expect(errorsByText([{ path: "src/a.ts", text: "if (error instanceof DamagedError) {}" }])).toEqual([]);
	});

	test("a name that two files export", () => {
		const planted = ["src/a.ts", "src/b.ts"].map((path) => ({ path, text: "export interface Twice {}\n" }));
		expect(namesTwice(planted)).toEqual(["Twice: src/a.ts, src/b.ts"]);
		expect(namesTwice(planted.slice(1))).toEqual([]);
	});

	test("a file that is too long", () => {
		expect(longFiles([{ path: "src/a.ts", text: "x\n".repeat(601) }])).toEqual(["src/a.ts: 601"]);
	});
});

test("nothing is exported for no one", () => {
	expect(unusedExports(sources, everything)).toEqual([]);
});

test("no constant stands twice", () => {
	expect(repeatedConstants(sources)).toEqual([]);
});

test("no name is exported with two meanings", () => {
	expect(namesTwice(sources)).toEqual([]);
});

test("no error is recognised by its text", () => {
	expect(errorsByText(sources)).toEqual([]);
});

test("no file has more than 600 lines", () => {
	expect(longFiles(everything.filter(({ path }) => !path.startsWith("test/")))).toEqual([]);
});

/** Words of our own for what the field has a word for: the word, and the field's. */
const HOME_MADE: readonly (readonly [RegExp, string])[] = [
	[/\bMOST_[A-Z]/, "MAX_"],
	[/[Tt]eller\b/, "publisher"],
	[/[Tt]old[A-Z]|[a-z]Told\b|\btold of\b/, "published, notified, reported"],
	[/Wish\b/, "request"],
	[/[Gg]lance/, "summary"],
	[/[Mm]ove[sd]? to another branch/, "reorg"],
	[/[a-z]Erased\b/, "reverted, pruned"],
	[/\b(?:un)?settledNumber\b/, "finalizedNumber"],
];

function homeMadeWords(files: readonly Source[]): string[] {
	return files.flatMap(({ path, text }) =>
		HOME_MADE.flatMap(([word, field]) => {
			const found = word.exec(text)?.[0];
			return found === undefined ? [] : [`${path}: ${found} is ${field}`];
		}),
	);
}

test("names and comments have the field's words", () => {
	expect(homeMadeWords(sources)).toEqual([]);
	const planted = {
		path: "planted.ts",
		text: "/** Told of a move to another branch. */ const MOST_WAITING = 1;",
	};
	expect(homeMadeWords([planted])).toHaveLength(2);
});

/**
 * Where `void` drops a promise, which the linter takes for handled: a rejection would end the node. Each by its file and what is
 * called, with why it never rejects.
 */
const NEVER_REJECTS: Readonly<Record<string, string>> = {
	"src/launch/control-server.ts this.takeSource": "a failure is its answer",
	"src/launch/control-server.ts this.handOver": "a failure is its answer",
	"src/launch/run-node.ts takeover.alone": "it only waits",
	"src/node/api/jsonrpc/subscriptions/event-publisher.ts this.run": "a listener that can't be told is closed",
	"src/node/api/jsonrpc/subscriptions/web-sockets.ts this.answerAll": "each call catches its failure",
	"src/node/api/rate-limiter.ts taken.then": "it only waits",
	"src/node/api/rate-limiter.ts this.clock.wait": "it only waits",
	"src/node/audit/audit.worker.ts worker.take": "a failure is its answer",
	"src/node/audit/live-audit.ts worker.take": "a failure is its answer",
	"src/node/events/stored-backlog.ts service.start": "where events are made again it does nothing that waits",
	"src/node/fork/request-thread.ts answer": "a failure is its answer",
	"src/node/history/history-index.ts this.enqueue": "the queue catches what its work throws",
	"src/node/history/history-index.ts this.storedUpTo": "the queue catches what its work throws",
	"src/node/history/postgresql/postgresql-store.ts this.pool.end":
		"it rejects only where it was called before",
	"src/node/network/backup/backup.ts this.lookUp": "a name that can't be looked up keeps its address",
	"src/node/production/sealer.ts this.exclusive": "a block that fails is reported",
	"src/node/production/sealer.ts this.exclusiveWork.finally":
		"failures are the callers', this one leaves them out",
	"src/node/scheduling/sliced-work.ts this.run": "what a piece of work throws is reported",
	"src/node/shielded/proof-threads.ts thread.worker.terminate": "of Node.js",
	"src/node/signatures/recover.worker.ts answerPostQuantum":
		"it would end the thread alone, which its pool is told",
	"src/node/vm/precompiles/loaded-library.ts this.loaded": "the library that is there goes on",
};

/** `void` before a call that isn't followed by a handler of its rejection. */
const DROPPED = /\bvoid ((?:\w+\.)*\w+)\((?!.*\)\.catch\()/g;
/** `void` before what is no promise, to return nothing. */
const NO_PROMISE = /\.(?:delete|emit|push|put)$|^collect$/;

function droppedPromises(files: readonly Source[]): string[] {
	const found = files.flatMap(({ path, text }) =>
		[...text.matchAll(DROPPED)]
			.map(([, called]) => called as string)
			.filter((called) => !NO_PROMISE.test(called))
			.map((called) => `${path} ${called}`),
	);
	return [...new Set(found)].sort();
}

test("no promise is dropped whose rejection would end a node", () => {
	const node = sources.filter(({ path }) => /^src\/(?:node|launch)\//.test(path));
	expect(droppedPromises(node)).toEqual(Object.keys(NEVER_REJECTS).sort());
	const planted =
		"void ready.then(() => {});\nvoid look().catch(report);\nconst f = () => void list.push(1);";
	expect(droppedPromises([{ path: "a.ts", text: planted }])).toEqual(["a.ts ready.then"]);
});

/** What gives a test a time of its own, in which a machine that does much else may not be done. */
const OWN_TIME: readonly RegExp[] = [
	/^\t*\}, (?:\d{2,3}_\d{3}|\d{4,})\);$/m,
	/^\t*\},\n\t*(?:\d{2,3}_\d{3}|\d{4,}),\n\t*\);$/m,
	/\bvi\.wait(?:For|Until)\(/,
	/\binterruptAfterTimeLimit\b/,
];

function testsWithOwnTime(files: readonly Source[]): string[] {
	return files.flatMap(({ path, text }) =>
		/\b(?:it|test)\b/.test(text) && OWN_TIME.some((form) => form.test(text)) ? [path] : [],
	);
}

test("no test has a time of its own: the configuration has the one that ends what hangs", () => {
	const tests = sourcesOf("test").filter(
		({ path }) => path.endsWith(".test.ts") && path !== "test/tidy.test.ts",
	);
	expect(testsWithOwnTime(tests)).toEqual([]);
	const planted = [
		'it("a", () => {\n}, 15_000);\n',
		"test(\n\t() => {\n\t},\n\t60_000,\n);\n",
		"it; await vi.waitFor(done);",
	];
	expect(testsWithOwnTime(planted.map((text) => ({ path: "a.test.ts", text })))).toHaveLength(3);
});

test("no test replaces a module: others of the same worker have loaded it before, or get what replaces it", () => {
	const tests = sourcesOf("test").filter(({ path }) => path.endsWith(".test.ts"));
	expect(tests.filter(({ text }) => /\bvi\.(?:do)?[mM]ock\(/.test(text)).map(({ path }) => path)).toEqual([]);
	expect(/\bvi\.(?:do)?[mM]ock\(/.test(["vi", "mock('a')"].join("."))).toBe(true);
});
