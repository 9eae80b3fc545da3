/** The Prometheus scrape endpoint (protocol/configuration §4.5). */

import type { HttpAnswer } from "../api/http-answer.js";
import { HttpListener } from "../api/http-listener.js";
import { portError } from "../api/http-servers.js";
import type { HttpRequest } from "../api/plain-request.js";
import { headRefusal, pathOf, queryOf } from "../api/request-head.js";
import { MAX_CONNECTIONS } from "../listening/connection-gate.js";
import { yieldToEventLoop } from "../scheduling/time-slice.js";
import type { MetricRegistry } from "./registry.js";

/** Cache time of a page: Prometheus scrapes every few seconds. */
const KEPT_MS = 1_000;
/** Cached or pending pages of selected names. The full page always has a slot, so they can't block it. */
const MAX_PAGES = 8;

interface MetricsPage {
	readonly contentType: string;
	readonly text: string;
}

interface Kept {
	readonly page: Promise<MetricsPage>;
	/** Whether names were selected. */
	readonly isChosen: boolean;
	/** When it was built; undefined while pending. */
	madeMs: number | undefined;
}

export class KeptPages {
	private readonly kept = new Map<string, Kept>();
	private last: Promise<unknown> = Promise.resolve();

	/** @param now monotonic milliseconds */
	constructor(
		private readonly make: (names: readonly string[], isOpenMetrics: boolean) => Promise<MetricsPage>,
		private readonly now: () => number,
	) {}

	/** @returns undefined if too many pages are pending */
	page(names: readonly string[], isOpenMetrics: boolean): Promise<MetricsPage> | undefined {
		this.forgetOld();
		const key = JSON.stringify([isOpenMetrics, ...names]);
		const known = this.kept.get(key);
		if (known) return known.page;
		if (names.length > 0 && this.chosen >= MAX_PAGES) return undefined;
		const page = this.last.then(yieldToEventLoop).then(() => this.make(names, isOpenMetrics));
		const kept: Kept = { page, isChosen: names.length > 0, madeMs: undefined };
		this.kept.set(key, kept);
		this.last = page.then(
			() => {
				kept.madeMs = this.now();
			},
			() => this.kept.delete(key),
		);
		return page;
	}

	private get chosen(): number {
		let count = 0;
		for (const { isChosen } of this.kept.values()) if (isChosen) count++;
		return count;
	}

	private forgetOld(): void {
		const nowMs = this.now();
		for (const [key, { madeMs }] of this.kept) {
			if (madeMs !== undefined && nowMs - madeMs >= KEPT_MS) this.kept.delete(key);
		}
	}
}

interface RunningMetricsServer {
	readonly port: number;
	close(): Promise<void>;
}

/**
 * Binds the port; rejects with a {@link PortError}.
 * @param now monotonic milliseconds
 */
export async function startMetricsServer(
	registry: MetricRegistry,
	port: number,
	host: string,
	now: () => number,
	report: (error: unknown, where: string) => void,
): Promise<RunningMetricsServer> {
	const pages = new KeptPages((names, isOpenMetrics) => registry.page(names, isOpenMetrics), now);
	const listener = new HttpListener({
		maxConnections: MAX_CONNECTIONS.metrics,
		handle: (request, answer) => respond(pages, request, answer),
		report: (error, where) => report(error, `metrics, ${where}`),
	});
	const bound = await listener.listen(port, host).catch((error: unknown) => {
		throw portError(port, "metrics server", error);
	});
	return { port: bound, close: () => listener.close() };
}

/** Every path serves the page except the exporter's health check. */
async function respond(pages: KeptPages, request: HttpRequest, answer: HttpAnswer): Promise<void> {
	const refused = headRefusal(request);
	if (refused !== undefined) return answer.page(refused);
	if (pathOf(request) === "/-/healthy") {
		return answer.send(200, "text/plain; charset=utf-8", "Exporter is Healthy.");
	}
	const isOpenMetrics = request.headers.accept?.includes("application/openmetrics-text") ?? false;
	const names = new URLSearchParams(queryOf(request)).getAll("name[]");
	const page = await pages.page(names, isOpenMetrics);
	if (!page) return answer.page(503);
	answer.send(200, page.contentType, page.text);
}
