/** Resource usage that a server process reports to its parent on request. */

export interface Report {
	readonly rssMiB: number;
	/** CPU time of all threads since the start, in microseconds. */
	readonly cpuUs: number;
	/** Blocks since the last report. */
	readonly blocks: number;
	/** Slots without a block. */
	readonly missed: number;
	/** Largest delay of a block after its slot. */
	readonly lateMs: number;
}

/** Sends the ports to the parent, then reports on request until the parent disconnects. */
export function tellParent(
	ports: object,
	blocks: () => Pick<Report, "blocks" | "missed" | "lateMs"> = () => ({ blocks: 0, missed: 0, lateMs: 0 }),
	close: () => Promise<void> = async () => {},
): void {
	process.send?.(ports);
	process.on("message", () => {
		const { user, system } = process.cpuUsage();
		const rssMiB = Math.round(process.memoryUsage().rss / 2 ** 20);
		const report: Report = { rssMiB, cpuUs: user + system, ...blocks() };
		process.send?.(report);
	});
	process.once("disconnect", () => void close().then(() => process.exit()));
}
