/**
 * Kills a node repeatedly while it answers transfers, and after each start checks everything that earlier
 * processes answered. Regularly compares the state with that of replaying the blocks.
 *
 *     npm run tool soak:kill -- [200] [--seed 1] [--mode node|chain] [--directory DIR]
 *
 * Mode `node` kills `coin node start`; mode `chain` kills a bare chain that writes its database constantly;
 * by default both alternate. The number counts the kills of all modes. A failure keeps the directory, and
 * prints its path.
 */

import { cpSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { type Answers, checkAnswers, noAnswers } from "./answers.js";
import { runAndKillChain } from "./kill-chain.js";
import { copyProgram, fundedAccounts, openDirectory, runAndKill } from "./kill-node.js";
import { type Random, randomFrom } from "./random.js";
import { compareWithReplay } from "./replayed-state.js";
import { openStressed } from "./stressed-chain.js";

/** Kills between full comparisons of the state. */
const COMPARE_EVERY = 20;

interface Subject {
	readonly name: string;
	readonly directory: string;
	readonly answers: Answers;
	runAndKill(): Promise<void>;
	open(dataDirectory: string | undefined): Promise<OpenChain>;
}

async function subjectOf(mode: string, root: string, random: Random): Promise<Subject> {
	const directory = join(root, mode, "data");
	await mkdir(join(root, mode), { recursive: true });
	const answers = noAnswers();
	if (mode === "chain") {
		const run = () => runAndKillChain(directory, random, answers);
		return { name: mode, directory, answers, runAndKill: run, open: openStressed };
	}
	const accounts = await fundedAccounts();
	const program = await copyProgram(join(root, "program"));
	const run = () => runAndKill(program, directory, accounts, random, answers);
	return { name: mode, directory, answers, runAndKill: run, open: openDirectory };
}

/** Opens a copy, so that the node itself has to do the repair, too. */
async function check(subject: Subject, whole: boolean): Promise<OpenChain["chain"]["head"]> {
	const copy = `${subject.directory}-copy`;
	await rm(copy, { recursive: true, force: true });
	cpSync(subject.directory, copy, { recursive: true });
	const open = await subject.open(copy);
	try {
		checkAnswers(open, subject.answers);
		if (whole) {
			const fresh = await subject.open(undefined);
			await compareWithReplay(open, fresh);
			await fresh.close();
		}
		return open.chain.head;
	} finally {
		await open.close();
		await rm(copy, { recursive: true, force: true });
	}
}

function elapsed(startMs: number): string {
	const seconds = Math.round((Date.now() - startMs) / 1000);
	return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function report(subject: Subject, progress: string, head: bigint): void {
	const { transactions, blocks } = subject.answers;
	process.stdout.write(
		`${progress}: ${subject.name} at block ${head}, ${transactions.size} transactions and ${blocks.size} blocks answered, none lost\n`,
	);
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string", default: String(Date.now() % 1_000_000) },
		mode: { type: "string" },
		directory: { type: "string" },
	},
});
const kills = Number(positionals[0] ?? 200);
if (!Number.isSafeInteger(kills) || kills < 1)
	throw new TypeError("the number of kills must be a whole number");
const seed = Number(values.seed);
const modes = values.mode === undefined ? ["node", "chain"] : [values.mode];
if (values.directory !== undefined) await mkdir(values.directory, { recursive: true });
const root = await mkdtemp(join(values.directory ?? tmpdir(), "coin-soak-"));
process.stdout.write(`${kills} kills, seed ${seed}, in ${root}\n`);
const random = randomFrom(seed);
const subjects = await Promise.all(modes.map((mode) => subjectOf(mode, root, random)));
const startMs = Date.now();
for (let kill = 1; kill <= kills; kill++) {
	const subject = subjects[kill % subjects.length] as Subject;
	await subject.runAndKill();
	const round = Math.ceil(kill / subjects.length);
	const whole = round % COMPARE_EVERY === 0 || kill > kills - subjects.length;
	const head = await check(subject, whole);
	if (whole) report(subject, `${kill} of ${kills} kills in ${elapsed(startMs)}`, head.number);
}
await rm(root, { recursive: true, force: true });
process.stdout.write("the state is what the blocks make of it\n");
