/** Releases of the network's node, which select API answers and admission checks (protocol/releases §1). */

/** Ascending. */
export const RELEASES = ["4.8.0", "4.8.1", "4.8.2"] as const;

export type Release = (typeof RELEASES)[number];

export const NEWEST_RELEASE: Release = "4.8.2";

/** Whether a release has what came with `first` (absent: the oldest). Other differences are in `older/`. */
export function isFrom(release: Release, first: Release = RELEASES[0]): boolean {
	return RELEASES.indexOf(release) >= RELEASES.indexOf(first);
}

/** The release of that name, if any. */
export function releaseNamed(name: string): Release | undefined {
	return RELEASES.find((release) => release === name);
}

interface Program {
	readonly version: string;
	readonly number: string;
}

/** The number of 4.8.1 is unknown; its predecessor's is used. */
const PROGRAMS: Readonly<Record<Release, Program>> = {
	"4.8.0": { version: "4.8.0", number: "18631" },
	"4.8.1": { version: "4.8.1", number: "18631" },
	"4.8.2": { version: "4.8.2", number: "18643" },
};

/** Nile's build of the newest release (protocol/post-quantum §8.3). */
const PROGRAM_OF_NILE: Program = { version: "4.8.2.PQ1", number: "19235" };

/** The program version reported by a node of this release. */
export const programOf = ({
	release,
	network,
}: {
	readonly release: Release;
	readonly network?: "main" | "nile" | undefined;
}): Program => (network === "nile" && release === NEWEST_RELEASE ? PROGRAM_OF_NILE : PROGRAMS[release]);

/** What each older release does differently from the next newer one. */
export type Older<T> = Readonly<Record<Exclude<Release, "4.8.2">, Partial<T>>>;

/** Behavior by release: today's, overridden by the differences of older releases. */
export function byRelease<T extends object>(today: T, older: Older<T>): Readonly<Record<Release, T>> {
	const before = { ...today, ...older["4.8.1"] };
	return { "4.8.0": { ...before, ...older["4.8.0"] }, "4.8.1": before, "4.8.2": today };
}
