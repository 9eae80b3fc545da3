import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Home } from "./coin-process.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";
const WITNESS = "TKXQJfLRSmRpqAM5e5GX4PHQVk9SqiFqkB";

const configuration = (socket: string): string => `
storage.db.directory = database
node { http { fullNodePort = 0, solidityPort = 0, PBFTPort = 0 }, rpc { port = 0, solidityPort = 0, PBFTPort = 0 } }
localwitness.signer = "${socket}"
genesis.block {
  timestamp = "0", parentHash = "0x00"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = TErGVpctkrkeAoEbYpDito5edEKsQDYt9X, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: ${WITNESS}, url = "http://witness", voteCount = 10 }]
}`;

/** A process of the program that goes on until it is killed. */
class Endless {
	private text = "";
	private readonly child;
	readonly closed: Promise<number | null>;

	constructor(home: Home, words: readonly string[]) {
		this.child = spawn(process.execPath, [program, ...words], {
			cwd: home.path,
			env: { PATH: process.env["PATH"] ?? "", HOME: home.path, COIN_TTY: join(home.path, "none") },
			stdio: ["ignore", "pipe", "pipe"],
		});
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream.setEncoding("utf8").on("data", (part: string) => {
				this.text += part;
			});
		}
		this.closed = new Promise((resolve) => this.child.once("close", resolve));
	}

	async says(what: string, times = 1): Promise<void> {
		await expect.poll(() => this.text.split(what).length - 1).toBeGreaterThanOrEqual(times);
	}

	end(signal: NodeJS.Signals): Promise<number | null> {
		this.child.kill(signal);
		return this.closed;
	}
}

interface Decision {
	readonly timestamp: string;
	readonly decision: string;
}

test.skipIf(process.platform === "win32")(
	"a signer signs for two nodes with one key once a slot, whoever is killed, and costs slots while it is away",
	async () => {
		const home = new Home();
		const running: Endless[] = [];
		const begin = (words: readonly string[]): Endless => {
			const started = new Endless(home, words);
			running.push(started);
			return started;
		};
		try {
			const password = home.write("pw", "sesame-open");
			const words = ["keystore", "import", "key", "witness", "--password-file", password, "--key-file"];
			expect(await home.run([...words, home.write("key", KEY)])).toMatchObject({ code: 0 });
			const [socket, directory] = [join(home.path, "socket"), join(home.path, "signer")];
			const file = home.write("node.conf", configuration(socket));
			const serve = async (): Promise<Endless> => {
				const places = ["--socket", socket, "--directory", directory];
				const signer = begin(["signer", "serve", "witness", ...places, "--password-file", password]);
				await signer.says(`${socket}\n`);
				return signer;
			};
			const produce = (name: string): Endless =>
				begin(["node", "start", "-w", "-c", file, "-d", join(home.path, name), "--p2p-disable", "true"]);
			const early = await home.run(["node", "start", "-w", "-c", file, "-d", join(home.path, "early")]);
			expect(early).toMatchObject({
				code: 1,
				stderr: expect.stringContaining(`no signer answers at ${socket}`),
			});

			let signer = await serve();
			const nodes = [produce("a"), produce("b")];
			await signer.says("signed", 2);
			await nodes[0]?.end("SIGKILL");
			await signer.end("SIGKILL");
			await nodes[1]?.says("the last slot was lost: no signer answers");
			signer = await serve();
			await signer.says("signed");
			await nodes[1]?.end("SIGTERM");
			expect(await signer.end("SIGTERM")).toBe(0);

			const log = await home.run(["signer", "log", "--directory", directory]);
			expect(log).toMatchObject({ code: 0, stdout: readFileSync(join(directory, "decisions.log"), "utf8") });
			const lines = log.stdout.trim().split("\n");
			const decisions = lines.map((line) => JSON.parse(line) as Decision);
			const signed = decisions.filter(({ decision }) => decision === "signed");
			const slots = signed.map(({ timestamp }) => Number(timestamp));
			expect(slots).toEqual([...new Set(slots)].sort((a, b) => a - b));
		} finally {
			await Promise.all(running.map((each) => each.end("SIGKILL")));
			home.remove();
		}
	},
);
