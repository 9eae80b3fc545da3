/**
 * Runs a developer tool by name: checks, fuzzers, soak tests and benches, which `npm test` can't afford. `npm
 * run tool` lists them; `npm run tool <name> -- <arguments>` runs one and exits with its code.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

interface Tool {
	readonly about: string;
	/** A source file to run with tsx, or a file of dist/ for Node.js. */
	readonly file: string;
	readonly words?: readonly string[];
	/** Whether to build first: the tool starts the program, or is bundled with it. */
	readonly built?: boolean;
}

const bench = (name: string, about: string): Tool => ({ about, file: `dist/bench/${name}.js`, built: true });

const TOOLS: Readonly<Record<string, Tool>> = {
	"check:history": {
		about: "replays recordings and compares the state at each past block",
		file: "dist/replay.js",
		words: ["--heal", "--only", "blocks", "--history"],
		built: true,
	},
	"check:package": {
		about: "packs, installs and starts the package, and that for Debian where dpkg-deb is",
		file: "scripts/check-package.ts",
	},
	"check:container": {
		about: "builds the image of the program and runs it, where podman is",
		file: "scripts/check-container.ts",
	},
	debian: { about: "makes a package for Debian in a folder", file: "scripts/debian-package.ts" },
	"check:runtimes": {
		about: "a replay and a start under each supported release line of Node.js",
		file: "scripts/check-runtimes.ts",
		built: true,
	},
	"check:frames": {
		about: "reads a folder of recorded peer traffic",
		file: "test/node/network/wire/check-folder.ts",
	},
	"check:stores": {
		about: "reads a folder of a reference node's stores",
		file: "test/node/adoption/engine/check-folder.ts",
	},
	"check:real": {
		about: "holds a folder of facts of public chains",
		file: "test/real/check-folder.ts",
	},
	"adopt:golden": {
		about: "adopts recorded directories and replays what follows",
		file: "test/soak/adopt-golden.ts",
		built: true,
	},
	"hash:heights": {
		about: "compares the hash of the state of nodes by replay, snapshot and adoption at every height",
		file: "test/soak/hash-heights.ts",
	},
	"adopt:damage": { about: "adopts directories with planted damage", file: "test/soak/adopt-damage.ts" },
	"fuzz:chain": {
		about: "random chains against the rules' invariants",
		file: "test/node/properties/fuzz.ts",
	},
	"fuzz:api": { about: "random requests to every endpoint", file: "test/node/api/fuzz/main.ts" },
	"fuzz:vm": { about: "random programs against another machine", file: "test/node/vm/fuzz/main.ts" },
	"fuzz:frames": { about: "random messages of peers", file: "test/node/network/fuzz/main.ts" },
	"soak:kill": { about: "kills a node again and again", file: "test/soak/kill.ts", built: true },
	"soak:history": { about: "kills a node that writes history", file: "test/soak/history.ts", built: true },
	"soak:standby": {
		about: "kills nodes that share a witness's signer",
		file: "test/soak/standby.ts",
		built: true,
	},
	"soak:fleet": {
		about: "nodes behind HAProxy and nginx, of which one is killed",
		file: "test/soak/fleet.ts",
		built: true,
	},
	"soak:day": { about: "a network for simulated days", file: "test/soak/day.ts" },
	"soak:damage": { about: "damages a node's files", file: "test/soak/damage.ts" },
	"soak:keystore": {
		about: "kills commands that write keys",
		file: "test/soak/keystore.ts",
		built: true,
	},
	"soak:disk": { about: "a node on a full disk", file: "test/soak/full-disk.ts", built: true },
	"soak:calls": { about: "heavy calls beside the chain", file: "test/soak/heavy-calls.ts", built: true },
	"soak:proofs": { about: "altered shielded proofs", file: "test/soak/shielded-mutations.ts" },
	"soak:sinks": {
		about: "kills a node that publishes events to receivers without a broker",
		file: "test/soak/sinks.ts",
		built: true,
	},
	"soak:brokers": {
		about: "kills a node and the brokers that it publishes events to",
		file: "test/brokers/main.ts",
		built: true,
	},
	"bench:accounts": bench("accounts", "import by the number of accounts"),
	"bench:adoption": bench("adoption", "entries adopted a second"),
	"bench:announcements": bench("announcements", "transactions from peers"),
	"bench:api": bench("api", "answers of the HTTP servers"),
	"bench:block": bench("worst-block", "the dearest blocks that the rules allow"),
	"bench:codec": bench("codec", "messages read and written"),
	"bench:energy": bench("energy", "time by energy of each instruction"),
	"bench:fork": bench("fork", "calls on a forked chain"),
	"bench:frames": bench("frames", "peer messages read"),
	"bench:history": bench("history", "state of past blocks"),
	"bench:import": bench("import", "blocks of a recording imported"),
	"bench:index": bench("account-index", "history by account"),
	"bench:logs": bench("logs", "queries of logs"),
	"bench:maintenance": bench("maintenance", "the end of a cycle"),
	"bench:mix": bench("mix", "blocks as the main network's imported"),
	"bench:prover": bench("prover", "shielded proofs made"),
	"bench:segments": bench("segments", "segments of old blocks"),
	"bench:shielded": bench("shielded", "shielded proofs checked"),
	"bench:signer": bench("signer", "headers signed by a signer and with a key at hand"),
	"bench:snapshot": bench("snapshot", "a snapshot made and restored beside copies of its bytes"),
	"bench:start": bench("start", "time to the first answer"),
	"bench:state-hash": bench("state-hash", "entries of the state hashed"),
	"bench:storage": bench("storage", "the database alone"),
	"bench:stores": bench("stores", "a reference node's stores read"),
	"bench:subscriptions": bench("subscriptions", "subscribers over WebSocket"),
	"bench:sync": bench("sync", "blocks from peers"),
	"bench:trace": bench("trace", "traces of transactions"),
	"bench:vm": bench("vm", "contracts executed"),
};

/** @returns the exit code; 1 if terminated by a signal */
function run(command: string, words: readonly string[]): number {
	const root = fileURLToPath(new URL("..", import.meta.url));
	return spawnSync(command, words, { cwd: root, stdio: "inherit" }).status ?? 1;
}

function runTool({ file, words = [], built }: Tool, rest: readonly string[]): number {
	const code = built ? run("npm", ["run", "build"]) : 0;
	if (code !== 0) return code;
	const loader = file.endsWith(".ts") ? ["--import", "tsx"] : [];
	return run(process.execPath, [...loader, file, ...words, ...rest]);
}

const [name = "", ...rest] = process.argv.slice(2);
const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
if (tool) process.exitCode = runTool(tool, rest);
else {
	const width = Math.max(...Object.keys(TOOLS).map(({ length }) => length));
	const list = Object.entries(TOOLS).map(([key, { about }]) => `  ${key.padEnd(width)}  ${about}\n`);
	process.stdout.write(`npm run tool <name> -- <arguments>\n\n${list.join("")}`);
	if (name !== "") process.stderr.write(`error: there is no tool ${JSON.stringify(name)}\n`);
	process.exitCode = name === "" ? 0 : 1;
}
