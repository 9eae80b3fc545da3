import { fork, spawn } from "node:child_process";
import { constants } from "node:os";
import { Flags } from "@oclif/core";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import {
	Agent,
	type AgentStart,
	agentParent,
	checkKeyCount,
	sentOfKey,
} from "../../keystore/agent/server.js";
import { type KeystoreEntry, unlockAnyKey } from "../../keystore/keystore.js";
import { forgetKey, type PrivateKey } from "../../keystore/private-key.js";
import { findShielded, type ShieldedEntry, unlockShielded } from "../../keystore/shielded-keystore.js";
import { forgetKeys, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, optional, passwordFlags } from "../../terminal/flags/flags.js";
import { AGENT_VARIABLE } from "../../terminal/keys/agent-signature.js";
import { openedKey, type PasswordSource } from "../../terminal/keys/secrets.js";
import { printText } from "../../terminal/output/output.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { takeOverSignals } from "../../terminal/prompt/interrupt.js";
import { Failure } from "../../wallet/failure.js";
import { openableKey } from "../../wallet/transaction/signing.js";
import { parseDuration } from "../../wallet/values/moment.js";

const MAX_LIFE_MS = 12 * 3_600_000;

export class KeystoreUnlock extends CoinCommand {
	static override summary = "Open keys once for several signatures";
	static override description =
		"Runs a command in which these keys sign without being asked for again; they are forgotten when it ends, or after " +
		"the time. Without a command an agent goes on in the background until its time is over, the terminal is closed, or " +
		"coin keystore lock: the line that is printed tells the shell where it listens. Keys stay in memory, are never " +
		"handed out, and only programs of the same user reach the agent; any of these can have it sign.";
	static override usage =
		"keystore unlock [<name>...] [--shielded <name>]... [--for <duration>] [-- <command>...]";
	static override examples = [
		"<%= config.bin %> keystore unlock ann bob -- sh pay-everyone.sh",
		'eval "$(<%= config.bin %> keystore unlock ann --for 10m)"',
	];
	static override strict = false;
	static override args = {
		name: optional("key of the keystore; several can follow"),
	};
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		shielded: Flags.string({
			description:
				"key of shielded addresses; the agent tells what reads its notes, and authorizes spends itself; repeatable",
			helpValue: "<name>",
			multiple: true,
			default: [],
		}),
		for: Flags.string({
			description: "until they are forgotten, at most 12h",
			helpValue: "<duration>",
			default: "5m",
		}),
	};

	async run(): Promise<void> {
		const end = this.argv.indexOf("--");
		const command = end < 0 ? [] : this.argv.slice(end + 1);
		const { argv, flags } = await this.parse(KeystoreUnlock, end < 0 ? this.argv : this.argv.slice(0, end));
		const lifeMs = parseDuration(flags.for);
		if (lifeMs > MAX_LIFE_MS) throw new Failure("bad_value", `"${flags.for}" is too long: at most 12h`);
		if (end >= 0 && command.length === 0) throw new Failure("usage", "there is no command after --");
		if (process.platform === "win32") throw new Failure("not_served", "agents don't exist on this system");
		if (command.length === 0 && !canAsk())
			throw new Failure(
				"usage",
				"a command is needed and there is no terminal with which an agent could end",
				{
					hint: "coin keystore unlock <name> -- <command>",
				},
			);
		const settings = await this.settings(flags);
		const count = argv.length + flags.shielded.length;
		if (count === 0) throw new Failure("usage", "no key is named");
		checkKeyCount(count);
		const entries = await Promise.all((argv as string[]).map((name) => openableKey(settings, name)));
		const ofAddresses = await Promise.all(
			flags.shielded.map((name) => findShielded(settings.keystoreDirectory, name)),
		);
		const opened = await this.opened(entries, ofAddresses, this.passwordSource(flags, settings));
		if (command.length > 0) process.exitCode = await runWith(opened, lifeMs, command);
		else await this.leaveBehind(opened, lifeMs);
	}

	private async opened(
		entries: readonly KeystoreEntry[],
		ofAddresses: readonly ShieldedEntry[],
		source: PasswordSource,
	): Promise<OpenedKeys> {
		const keys: PrivateKey[] = [];
		const shielded: ShieldedKeys[] = [];
		try {
			for (const entry of entries) keys.push(await openedKey(source, this.chatty, entry, unlockAnyKey));
			for (const entry of ofAddresses)
				shielded.push(await openedKey(source, this.chatty, entry, unlockShielded));
			return { keys, shielded };
		} catch (error) {
			for (const key of keys) forgetKey(key);
			for (const key of shielded) forgetKeys(key);
			throw error;
		}
	}

	/** Starts an agent in its own process, and prints the line for the shell to evaluate. */
	private async leaveBehind({ keys, shielded }: OpenedKeys, lifeMs: number): Promise<void> {
		const script = bundledScript("keystore/agent/agent.worker.js");
		if (!script) throw new Failure("start_failed", "the agent is a part of the built program alone");
		// Same session, so that closing the terminal detaches it from its terminal.
		const child = fork(script, [], {
			cwd: "/",
			serialization: "advanced",
			stdio: ["ignore", "ignore", "ignore", "ipc"],
		});
		const start: AgentStart = {
			keys: keys.map(sentOfKey),
			shielded,
			lifeMs,
			parent: agentParent(process.env),
			terminal: process.env["COIN_TTY"] || "/dev/tty",
		};
		const socketPath = await new Promise<string>((done, fail) => {
			const broken = (): void => fail(new Failure("start_failed", "the agent did not start"));
			child.once("error", broken);
			child.once("exit", broken);
			child.once("message", (answer: { readonly socketPath: string }) => done(answer.socketPath));
			child.send(start, (error) => error && broken());
		});
		for (const key of keys) forgetKey(key);
		for (const key of shielded) forgetKeys(key);
		child.removeAllListeners("exit");
		child.unref();
		if (child.connected) child.disconnect();
		if (this.json) this.printRecord({ socket: socketPath, pid: child.pid });
		else {
			printText(`export ${AGENT_VARIABLE}='${socketPath}'`);
			if (process.stdout.isTTY)
				this.note('run this line in the shell that signs; eval "$(coin keystore unlock …)" does it at once');
		}
	}
}

interface OpenedKeys {
	readonly keys: readonly PrivateKey[];
	readonly shielded: readonly ShieldedKeys[];
}

/** Runs a command with its own agent. @returns its exit code */
async function runWith(opened: OpenedKeys, lifeMs: number, command: readonly string[]): Promise<number> {
	const agent = await Agent.start({ ...opened, lifeMs, parent: agentParent(process.env) });
	try {
		const [program = "", ...words] = command;
		const child = spawn(program, words, {
			stdio: "inherit",
			env: { ...process.env, [AGENT_VARIABLE]: agent.socketPath },
		});
		// Ctrl-C reaches the command directly; this program exits after it.
		takeOverSignals((signal) => {
			if (signal === "SIGTERM") child.kill(signal);
		});
		return await new Promise<number>((done, fail) => {
			child.once("error", (error: NodeJS.ErrnoException) =>
				fail(new Failure("bad_value", `${program} can't be run (${error.code ?? error.message})`)),
			);
			child.once("close", (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
		});
	} finally {
		agent.end();
	}
}
