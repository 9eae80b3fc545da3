/** Releases of the network's node: whose answers the APIs give, and whose checks stand at the doors (protocol/releases §1). */

/** Ascending. */
export const RELEASES = ["4.8.0", "4.8.1", "4.8.2"] as const;

export type Release = (typeof RELEASES)[number];

export const NEWEST_RELEASE: Release = "4.8.2";

/** Whether a release is `first` or a later one. */
export function isFrom(release: Release, first: Release): boolean {
	return RELEASES.indexOf(release) >= RELEASES.indexOf(first);
}

/** The release of that name; undefined: there is none. */
export function releaseNamed(name: string): Release | undefined {
	return RELEASES.find((release) => release === name);
}
