// Payload CMS 3 with the collections that are measured, to be compared with `cargo bench --bench rest`:
//
//     herdbook openapi > openapi.json && npm install
//     NODE_ENV=development node serve.mjs openapi.json [postgres://…]    makes the tables
//     NODE_ENV=production node serve.mjs openapi.json [postgres://…]     is measured
//
// The fields are those of our description, kind by kind, so that both send the same documents. Prints the URL and
// a token (HERDBOOK_BENCH_URL, HERDBOOK_BENCH_TOKEN) and the organisation that owns the rows (HERDBOOK_BENCH_OWNER).
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { postgresAdapter } from '@payloadcms/db-postgres'
import { sqliteAdapter } from '@payloadcms/db-sqlite'
import { buildConfig, getPayload, handleEndpoints } from 'payload'

const [description, database = 'file:engine.db'] = process.argv.slice(2)
const { schemas } = JSON.parse(readFileSync(description, 'utf8')).components
const COLLECTIONS = ['organizations', 'animals', 'milk-tests']
// These the engine has by itself.
const OWN = new Set(['id', 'createdAt', 'updatedAt'])

const name = ref => ref.split('/').at(-1)
const follow = schema => (schema.$ref ? { ...schemas[name(schema.$ref)], ...schema, $ref: undefined } : schema)

function field(path, schema) {
  const parts = (schema.oneOf ?? schema.anyOf ?? [schema]).filter(part => part.type !== 'null')
  const target = parts.map(part => part.$ref && name(part.$ref)).find(to => COLLECTIONS.includes(to))
  if (target) return { name: path, type: 'relationship', relationTo: target, index: true }
  const whole = follow(parts[0])
  const types = [whole.type].flat().filter(type => type !== 'null')
  if (parts.length > 1 || types.includes('array') || types.length !== 1) return { name: path, type: 'json' }
  if (types[0] === 'object') {
    if (!whole.properties) return { name: path, type: 'json' }
    return { name: path, type: 'group', fields: fields(whole) }
  }
  if (types[0] === 'boolean') return { name: path, type: 'checkbox' }
  if (types[0] !== 'string') return { name: path, type: 'number', index: path === 'milkYield' }
  if (whole.format?.startsWith('date')) return { name: path, type: 'date', index: path === 'date' }
  return { name: path, type: 'text', index: path === 'name' || path === 'identNumber' }
}

function fields(schema) {
  return Object.entries(schema.properties).filter(([path]) => !OWN.has(path)).map(([path, of]) => field(path, of))
}

const open = () => true
const access = { read: open, create: open, update: open, delete: open }
const adapter = database.startsWith('postgres')
  ? postgresAdapter({ pool: { connectionString: database }, push: true })
  : sqliteAdapter({ client: { url: database }, push: true })
const config = await buildConfig({
  secret: 'a secret of the bench',
  db: adapter,
  telemetry: false,
  collections: [
    { slug: 'users', auth: true, fields: [] },
    ...COLLECTIONS.map(slug => ({ slug, access, fields: fields(schemas[slug]) })),
  ],
})
const payload = await getPayload({ config })
const account = { email: 'bench@example.org', password: 'bench' }
if ((await payload.count({ collection: 'users' })).totalDocs === 0) await payload.create({ collection: 'users', data: account })
const { token } = await payload.login({ collection: 'users', data: account })
const owner = await payload.create({ collection: 'organizations', data: { name: 'Bench' } })

const server = createServer(async (incoming, answer) => {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const body = chunks.length ? Buffer.concat(chunks) : undefined
  const url = `http://${incoming.headers.host}${incoming.url}`
  const request = new Request(url, { method: incoming.method, headers: incoming.headers, body })
  const made = await handleEndpoints({ config, request })
  answer.writeHead(made.status, Object.fromEntries(made.headers))
  answer.end(Buffer.from(await made.arrayBuffer()))
})
// Clients keep their connections over pauses.
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  console.log(`HERDBOOK_BENCH_URL=http://127.0.0.1:${server.address().port}`)
  console.log(`HERDBOOK_BENCH_TOKEN=${token}`)
  console.log(`HERDBOOK_BENCH_OWNER=${owner.id}`)
  console.log(`HERDBOOK_BENCH_PID=${process.pid}`)
})
