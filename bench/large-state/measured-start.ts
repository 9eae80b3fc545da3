/** Startup time of a node on a large state, until it answers over HTTP. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, startNode } from "../program/start-node.js";
import { sharedCopy } from "./data-set.js";
import { NETWORK } from "./network.js";

const STARTS = 3;

/** @param folder with `data` @returns median milliseconds until the first answer */
export async function measureStart(folder: string): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < STARTS; i++) times.push(await startOnce(folder));
	return Math.round(times.sort((a, b) => a - b)[STARTS >> 1] as number);
}

async function startOnce(folder: string): Promise<number> {
	const directory = sharedCopy(join(folder, "data"));
	const [http, solidity, pbft, grpc, grpcSolidity, peer] = await freePorts(6);
	const file = join(directory, "node.conf");
	writeFileSync(
		file,
		`${NETWORK}
node { http { fullNodePort = ${http}, solidityPort = ${solidity}, PBFTPort = ${pbft} }
  rpc { port = ${grpc}, solidityPort = ${grpcSolidity}, PBFTEnable = false }
  listen.port = ${peer}, discovery.enable = false }`,
	);
	try {
		const words = ["-c", file, "-d", directory, "--host", "127.0.0.1"];
		const { answerMs, stop } = await startNode(words, directory, http as number);
		await stop();
		return answerMs;
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}
