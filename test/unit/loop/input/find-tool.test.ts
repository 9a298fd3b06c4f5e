import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../../../src/core/define-tool.ts';
import { findTool } from '../../../../src/loop/input/find-tool.ts';

const toolsOf = (...names: string[]): Map<string, ReturnType<typeof tool>> =>
  new Map(names.map((name) => [name, tool({ name, description: 'x', schema: z.object({}), execute: () => 1 })]));

const some = toolsOf('get_weather', 'get_time', 'send_message', 'list_files', 'read_file', 'use');

describe('a name that means one tool', () => {
  test('the exact name is no renaming', () => {
    expect(findTool('get_weather', some)).toEqual({ tool: some.get('get_weather'), renamed: false });
  });

  test.each([
    'getWeather', 'GetWeather', 'GET_WEATHER', 'get-weather', 'get.weather', 'get weather', ' get_weather ', 'get_weather()',
    'functions.get_weather', 'functions.getWeather', 'default_api:get_weather', 'default_api.get_weather', 'tools.get_weather',
    'weather_server__get_weather', 'mcp__weather__get_weather', 'functions.get_weather:0', 'get_weather<|channel|>commentary', 'get_weather\u0000',
  ])('%s runs get_weather', (name) => {
    expect(findTool(name, some)).toEqual({ tool: some.get('get_weather'), renamed: true });
  }); // prettier-ignore

  test('a tool whose own name has a prefix is found first', () => {
    const tools = toolsOf('github__search', 'search');
    expect(findTool('github__search', tools)).toMatchObject({ renamed: false });
    expect(findTool('GitHub__search', tools)).toEqual({ tool: tools.get('github__search'), renamed: true });
  });
});

describe('a name that means none', () => {
  test.each([
    { name: 'weather', nearest: ['get_weather'] },
    { name: 'lookup_weather', nearest: ['get_weather'] },
    { name: 'send_email', nearest: ['send_message'] },
    { name: 'get_wether', nearest: ['get_weather', 'get_time'] },
    { name: 'readfile_now', nearest: ['read_file'] },
    { name: 'delete_everything', nearest: [] },
    { name: 'open', nearest: [] },
    { name: '', nearest: [] },
    { name: '___', nearest: [] },
    { name: '\u0000\u0001', nearest: [] },
    { name: 'x'.repeat(100_000), nearest: [] },
    { name: `${'_'.repeat(50_000)}use`, nearest: [] },
  ])('$name is answered with the nearest', ({ name, nearest }) => {
    expect(findTool(name, some)).toEqual({ tool: undefined, nearest });
  });

  test('two tools that differ only in case are not chosen between', () => {
    expect(findTool('GetIt', toolsOf('get_it', 'getIt'))).toEqual({ tool: undefined, nearest: ['get_it', 'getIt'] });
  });

  test('a method of another thing is not taken for a tool', () => {
    expect(findTool('account.use', some)).toMatchObject({ tool: undefined });
  });

  test('without tools there is nothing to suggest', () => {
    expect(findTool('a', new Map())).toEqual({ tool: undefined, nearest: [] });
  });
});

test.each(['get_thign_numbr_', 'delete_everything_'])('2,000 names like %s0 are looked up in time', (name) => {
  const many = toolsOf(...Array.from({ length: 128 }, (_none, index) => `get_thing_number_${index}`));
  const { user } = process.cpuUsage();
  for (let index = 0; index < 2000; index += 1) {
    const found = findTool(`${name}${index}`, many);
    if (found.tool === undefined) expect(found.nearest.length).toBeLessThanOrEqual(3);
  }
  // A third of a second on a busy core.
  expect((process.cpuUsage().user - user) / 1000).toBeLessThan(1500);
});
