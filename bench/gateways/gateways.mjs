// The gateways: how each is installed (outside of this repository), started, and asked on each wire that it speaks.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** The key that a gateway asks of its clients, and the one that it sends on. */
export const GATEWAY_KEY = 'sk-gateway-0123456789';
const UPSTREAM_KEY = 'sk-upstream-0123456789';

/**
 * A route is the wire that the agent speaks, the vendor behind the gateway, and what the agent's provider needs beside
 * the origin of the gateway.
 */
const route = (wire, vendor, more = {}) => ({ wire, vendor, model: 'demo', headers: {}, ...more });

export const gateways = {
  // Another version is known as compromised: never install LiteLLM without this pin.
  litellm: {
    title: 'LiteLLM 1.108.7',
    routes: [
      ['openai', 'openai'],
      ['openai', 'anthropic'],
      ['openai', 'ollama'],
      ['openai-responses', 'openai'],
      ['openai-responses', 'anthropic'],
      ['anthropic', 'anthropic'],
      ['anthropic', 'openai'],
    ].map(([wire, vendor]) => route(wire, vendor, { model: `demo-${vendor}` })),
    hasModels: true,
    install(dir) {
      const python = join(dir, 'litellm', 'bin', 'python');
      if (existsSync(join(dir, 'litellm', 'bin', 'litellm'))) return;
      must('python3', ['-m', 'venv', join(dir, 'litellm')]);
      must(python, ['-m', 'pip', 'install', '--quiet', '--only-binary=:all:', 'litellm[proxy]==1.108.7']);
    },
    command(dir, port, upstream) {
      const params = (model, base) => ({ model, api_base: base, api_key: UPSTREAM_KEY, max_retries: 0 });
      const models = {
        openai: params('openai/demo', `${upstream}/v1`),
        anthropic: params('anthropic/demo', upstream),
        ollama: params('ollama_chat/demo', upstream),
      };
      // JSON is YAML, too.
      const config = {
        model_list: Object.entries(models).map(([vendor, litellm_params]) => ({
          model_name: `demo-${vendor}`,
          litellm_params,
        })),
        general_settings: { master_key: GATEWAY_KEY },
        litellm_settings: { num_retries: 0, telemetry: false, drop_params: true },
        router_settings: { num_retries: 0, disable_cooldowns: true },
      };
      const file = join(dir, 'litellm.yaml');
      writeFileSync(file, JSON.stringify(config));
      return {
        file: join(dir, 'litellm', 'bin', 'python'),
        args: [join(dir, 'litellm', 'bin', 'litellm'), '--config', file, '--host', '127.0.0.1', '--port', String(port)],
        // Prices and logos are otherwise fetched from the network.
        env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False', NO_DOCS: 'True' },
      };
    },
    ready: '/health/liveliness',
  },
  portkey: {
    title: "Portkey's gateway (@portkey-ai/gateway)",
    routes: [
      ['openai', 'openai'],
      ['openai', 'anthropic'],
      ['openai', 'ollama'],
      ['openai-responses', 'openai'],
      ['anthropic', 'anthropic'],
    ].map(([wire, vendor]) => route(wire, vendor)),
    headers: (vendor, upstream) => ({
      'x-portkey-provider': vendor,
      'x-portkey-custom-host': vendor === 'ollama' ? upstream : `${upstream}/v1`,
    }),
    install(dir) {
      const home = join(dir, 'portkey');
      if (existsSync(join(home, 'node_modules', '@portkey-ai', 'gateway'))) return;
      mkdirSync(home, { recursive: true });
      // Later versions hand on a fetched answer's own headers, which can't be added to: every stream becomes a 500.
      const overrides = { '@hono/node-server': '1.13.8' };
      const dependencies = { '@portkey-ai/gateway': '1.15.2' };
      writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
      must('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']);
    },
    command: (dir, port) => ({
      file: process.execPath,
      args: [
        join(dir, 'portkey/node_modules/@portkey-ai/gateway/build/start-server.js'),
        `--port=${port}`,
        '--headless',
      ],
      env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1' },
    }),
    ready: '/',
  },
};

/** Starts a gateway in front of `upstream` and waits until it answers; rejects with what it printed. */
export async function startGateway({ command, ready }, dir, upstream, patienceMs = 600_000) {
  const port = await freePort();
  const { file, args, env } = command(dir, port, upstream);
  const child = spawn(file, args, { cwd: dir, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const keep = (chunk) => {
    printed = (printed + chunk).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let exited = false;
  const over = new Promise((resolve) => {
    child.once('exit', () => {
      exited = true;
      resolve();
    });
  });
  const close = async () => {
    child.kill();
    const killer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await over;
    clearTimeout(killer);
  };
  const origin = `http://127.0.0.1:${port}`;
  const until = performance.now() + patienceMs;
  while (!exited && performance.now() < until) {
    const answer = await fetch(origin + ready, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (answer?.ok) return { origin, close, printed: () => printed };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await close();
  throw new Error(`it did not start: ${printed.slice(-2000)}`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function must(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
}
