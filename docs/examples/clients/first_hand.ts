// A hand is sent, its sheet read, and the feed followed live: node first_hand.js ADDRESS [KEY].

import { setTimeout } from "node:timers/promises";

import { EventSourceParserStream } from "eventsource-parser/stream";
import { createTrull, type FeedPage, type HandRecord, type Problem, type ScoreSheet } from "trull-client";

const [address = "http://127.0.0.1:8000", key] = process.argv.slice(2);
const trull = createTrull(address, key);

/** Anna's Zweiblatt, of whose 40 card points she had spoken before she saw the talon. */
function hand(cardPoints: number): HandRecord {
  return {
    variant: "illustrated-mayr-sedlaczek-2016",
    players: ["Anna", "Béla", "Cyril"],
    events: [
      {
        type: "result_reported",
        declarer: "Anna",
        contract: "zweiblatt",
        card_points: cardPoints,
        bonuses: [{ bonus: "forty", player: "Anna", stage: "before_pickup", made: true }],
      },
    ],
  };
}

/** The service did not do what it was asked for; `problem` says why. */
class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** Have the hand stored; its id. */
async function submit(record: HandRecord): Promise<string> {
  const { data, error } = await trull.POST("/v1/hands", { body: record });
  if (error) throw new Refused(error);
  return data.hand_id!;
}

/** The hand's sheet, as soon as a worker has made it. */
async function sheetOf(handId: string): Promise<ScoreSheet> {
  for (;;) {
    const { data, error } = await trull.GET("/v1/hands/{hand_id}/score", { params: { path: { hand_id: handId } } });
    if (error) throw new Refused(error);
    if ("scores" in data) return data;
    await setTimeout(100);
  }
}

/** The cursor of the feed's end as it is now. */
async function endOfFeed(): Promise<string> {
  const { data, error } = await trull.GET("/v1/events", { params: { query: { cursor: "latest" } } });
  if (error) throw new Refused(error);
  return data.next;
}

/** What happens after the cursor, as it happens: server-sent events, which go on until the loop over them ends. */
async function* happenings(cursor: string): AsyncGenerator<FeedPage["events"][number]> {
  const { data, error } = await trull.GET("/v1/events", {
    params: { query: { cursor } },
    headers: { Accept: "text/event-stream" },
    parseAs: "stream",
  });
  if (error) throw new Refused(error);
  const events = data!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const event of events) yield JSON.parse(event.data);
}

const cursor = await endOfFeed();
const handId = await submit(hand(41));
const sheet = await sheetOf(handId);
console.log(`sheet: ${sheet.status}, Anna ${sheet.scores["Anna"]}`);

for await (const item of happenings(cursor)) {
  if (item.type === "hand.event" && item.event.type === "result_reported") {
    console.log(`feed: ${item.type}, ${item.event.declarer} played ${item.event.contract}`);
  } else if (item.type === "hand.scored" && item.hand_id === handId) {
    console.log(`feed: ${item.type}, ${item.status}`);
    break;
  }
}

try {
  await submit(hand(38));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  for (const fault of error.problem.errors ?? []) console.log(`refused: ${fault.code} at ${fault.pointer}`);
}
