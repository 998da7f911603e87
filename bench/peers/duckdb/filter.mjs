// DuckDB as a contestant of bench's Filter benchmarks, in a process that stays:
// it is given a JSON-lines file, and then, on each line of stdin, a schema
// ("given" or "inferred") and a condition. It answers each with one line,
//
//	{"matched":125000,"ns":123456789,"threads":2,"version":"v1.5.6"}
//
// where ns is what the query took within the process, its start and the
// parsing of the condition not counted. It uses every core.
//
//	npm ci && echo 'given level = '"'error'" | node filter.mjs FILE
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';

const schema = `{ts: 'TIMESTAMP', level: 'VARCHAR', msg: 'VARCHAR',
	"user": 'STRUCT(id BIGINT, name VARCHAR)', amount: 'DOUBLE', trace: 'VARCHAR'}`;

const file = process.argv[2].replaceAll("'", "''");
const connection = await (await DuckDBInstance.create(':memory:')).connect();

async function rows(sql) {
	return (await connection.runAndReadAll(sql)).getRows();
}

const [[threads, version]] = await rows("SELECT current_setting('threads'), version()");

for await (const line of createInterface({ input: process.stdin })) {
	const [, kind, condition] = line.match(/^(\w+) (.*)$/);
	const columns = kind === 'given' ? `, columns = ${schema}` : '';
	const query = `SELECT count(*) FROM read_json('${file}', format = 'newline_delimited'${columns}) WHERE ${condition}`;
	const begun = process.hrtime.bigint();
	const [[matched]] = await rows(query);
	const ns = Number(process.hrtime.bigint() - begun);
	console.log(JSON.stringify({ matched: Number(matched), ns, threads: Number(threads), version }));
}
