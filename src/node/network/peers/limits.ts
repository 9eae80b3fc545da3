/**
 * Limits on what one peer can make this node store. Message sizes are in `wire/message-kinds.ts`.
 *
 * | what                                        | where                        | bound                                  |
 * | ------------------------------------------- | ---------------------------- | -------------------------------------- |
 * | announcements that it made, that we made    | `announcedToUs`, `…ByUs`     | 20,000 each, an hour                   |
 * | announced blocks that are looked at         | `blockCount`                 | 100 in ten seconds, by the settings    |
 * | announced transactions that are looked at   | `transactionCount`           | `node.maxTps` · 10 in ten seconds      |
 * | announced blocks that wait to be asked for  | `pendingBlocks`              | 32, a little above the head at most    |
 * | what it could be asked for                  | `offers`                     | 64 blocks, 20,000 transactions         |
 * | items that it was asked for                 | `asked`                      | 1,000 a step, and only if it owes none |
 * | its list of blocks to fetch                 | `toFetch`                    | two lists: 4,001                       |
 * | blocks that it was asked for                | `requested`                  | 100                                    |
 * | blocks of it that wait to be applied        | `SyncRequester.queue`        | `maxQueuedBytes`, all peers together   |
 * | summaries that it is answered               | `summaryCount`               | 60 in ten seconds                      |
 * | blocks that it waits for                    | `SyncResponder.waiting`      | 4,002 ids                              |
 * | ids of blocks that it was served            | `served`                     | 4,000                                  |
 * | transactions that wait to be looked at      | `TransactionIntake`          | 50,000, all peers together             |
 * | confirmations that wait for their block     | `PbftCommits`                | 100 for blocks that it owes, 4 cycles  |
 * | early votes, of witnesses only              | `Voting`                     | one a witness, kind, round; 5 cycles   |
 * | lines in the log                            | `diagnostics/quiet-log.ts`   | 6 of a kind a minute, 60 of all peers  |
 * | unsent bytes                                | `transport/channel.ts`       | 64 MiB, then it is dropped             |
 */

/** Announcements remembered per peer and direction. */
export const INVENTORY_CACHE = 20_000;
/** Remembered ids of served blocks; older ones may be requested again. */
export const SERVED_CACHE = 4000;
/** Blocks first announced by one peer and not requested yet. */
export const MAX_PENDING_BLOCKS = 32;
/** How far above our head announced blocks may be, beyond what time alone explains. */
export const MAX_BLOCKS_ABOVE_HEAD = 100n;
/** Items that could be requested from a peer. */
export const MAX_OFFERED_BLOCKS = 64;
export const MAX_OFFERED_TRANSACTIONS = INVENTORY_CACHE;
/** Summaries per ten seconds: a syncing peer needs three a second at most. */
export const MAX_SUMMARIES = 60;
