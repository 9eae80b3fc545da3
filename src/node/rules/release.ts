/** The release of the network's node whose rules and answers this program has. */

export const CODE_VERSION = "4.8.0";
