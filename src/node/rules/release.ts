/** Releases of the network's node: whose answers the APIs give, and whose checks stand at the doors (protocol/releases §1). */

/** Ascending. */
export const RELEASES = ["4.8.0", "4.8.1", "4.8.2"] as const;

export type Release = (typeof RELEASES)[number];

export const NEWEST_RELEASE: Release = "4.8.2";

/** Whether a release has what came with `first`, absent the oldest: for rows of tables. What a room does otherwise stands in its `older/`. */
export function isFrom(release: Release, first: Release = RELEASES[0]): boolean {
	return RELEASES.indexOf(release) >= RELEASES.indexOf(first);
}

/** The release of that name; undefined: there is none. */
export function releaseNamed(name: string): Release | undefined {
	return RELEASES.find((release) => release === name);
}

/** What a node says that it is. */
interface Program {
	readonly version: string;
	readonly number: string;
}

/** That of 4.8.1 is not known; its predecessor's stands in. */
const PROGRAMS: Readonly<Record<Release, Program>> = {
	"4.8.0": { version: "4.8.0", number: "18631" },
	"4.8.1": { version: "4.8.1", number: "18631" },
	"4.8.2": { version: "4.8.2", number: "18643" },
};

/** Nile's build of the newest release (protocol/post-quantum §8.3). */
const PROGRAM_OF_NILE: Program = { version: "4.8.2.PQ1", number: "19235" };

/** The program of the network's node that a node of this release answers as. */
export const programOf = ({
	release,
	network,
}: {
	readonly release: Release;
	readonly network?: "main" | "nile" | undefined;
}): Program => (network === "nile" && release === NEWEST_RELEASE ? PROGRAM_OF_NILE : PROGRAMS[release]);

/** What each older release does otherwise than the one after it. */
export type Older<T> = Readonly<Record<Exclude<Release, "4.8.2">, Partial<T>>>;

/** What a room does under each release: what it does today, and above that the differences of older ones. */
export function byRelease<T extends object>(today: T, older: Older<T>): Readonly<Record<Release, T>> {
	const before = { ...today, ...older["4.8.1"] };
	return { "4.8.0": { ...before, ...older["4.8.0"] }, "4.8.1": before, "4.8.2": today };
}
