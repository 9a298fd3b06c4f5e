"""The temple from scratch: an agent loop that survives, with nothing but the standard library (Python 3.11).

    BASE_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 python3 scratch.py

Three layers, each with one question:
  1. ask()     The server failed. Will it work if I ask again?     The model never hears of it.
  2. answer()  The model erred, or a tool has something to say.    The model reads it as the tool's result.
  3. play()    Is this going anywhere?                             After too many errors in a row, stop.
"""

import argparse
import http.client
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request

MAX_ATTEMPTS = 5
MAX_TURNS = 20
MAX_ERRORS_IN_A_ROW = 4
TIMEOUT_SECONDS = 120

# --- The world: a door, a rusted lock, a key and an oil can. ---------------------------------------------------------

room = {"oiled": False, "open": False}


class ToolError(Exception):
    """Something that a tool tells the model, word for word."""


def find(target):
    if not re.search("door|lock", target, re.IGNORECASE):
        raise ToolError("There is no such thing here. You see a door with a lock.")


def look_at(target):
    find(target)
    if room["open"]:
        return "The door stands open."
    if room["oiled"]:
        return "A bronze door. Its lock shines with oil."
    return "A bronze door, shut. Its lock is red with rust."


def use(item, target):
    find(target)
    if item == "oil_can":
        room["oiled"] = True
        return "The oil runs into the lock. It moves freely now."
    if not room["oiled"]:
        raise ToolError("The lock is rusted shut. Oil it first: use oil_can with lock.")
    room["open"] = True
    return "The key turns. The temple door swings open."


TEXT = {"type": "string"}
TOOLS = {
    "look_at": (look_at, "Look at something in the room.", {"target": TEXT}),
    "use": (
        use,
        "Use something that you carry with something in the room.",
        {"item": {**TEXT, "enum": ["key", "oil_can"]}, "target": TEXT},
    ),
}

# --- 1. The retry layer: failures of the server and the network. -----------------------------------------------------


class Passing(Exception):
    """Something that asking again may cure, after `wait` seconds where the server names a time."""

    def __init__(self, message, wait=0.0):
        super().__init__(message)
        self.wait = wait


def ask_once(server, messages):
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {"type": "object", "properties": properties, "required": list(properties)},
            },
        }
        for name, (_, description, properties) in TOOLS.items()
    ]
    body = json.dumps({"model": server.model, "messages": messages, "tools": tools}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {server.api_key}"}
    request = urllib.request.Request(server.base_url + "/chat/completions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            reply = json.load(response)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        if error.code == 429 or error.code >= 500:
            asked = error.headers.get("retry-after", "")
            raise Passing(f"The server answered {error.code}.", float(asked) if asked.isdigit() else 0.0) from error
        # Any other error is ours (a wrong key, a wrong model): asking again can't help.
        raise SystemExit(f"The server answered {error.code}: {error.read().decode()}") from error
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError) as error:
        # No connection or silence, a broken message, a body that was cut, a body without a reply.
        raise Passing(f"No good reply ({type(error).__name__}).") from error
    if not reply.get("content") and not reply.get("tool_calls"):
        raise Passing("The reply was empty.")
    return reply


def ask(server, messages):
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            return ask_once(server, messages)
        except Passing as failure:
            if attempt == MAX_ATTEMPTS:
                raise SystemExit(f"{failure} Giving up after {attempt} attempts.") from failure
            print(f"  ({failure} Asking again.)", file=sys.stderr)
            time.sleep(failure.wait + random.random() * 0.25 * 2**attempt)
    raise AssertionError("not reached")


# --- 2. The tool layer: every call gets exactly one answer, and an error is an answer. --------------------------------


def answer(call):
    """What the model is told, and whether it is an error. The text says what is wrong and what to do instead."""
    name = call["function"]["name"]
    if name not in TOOLS:
        return f"Error: There is no such tool. The tools are {' and '.join(TOOLS)}.", True
    function, _, properties = TOOLS[name]
    try:
        arguments = json.loads(call["function"]["arguments"])
    except ValueError:
        return "Error: The arguments were not valid JSON. Send them again as one JSON object.", True
    for key, schema in properties.items():
        value = arguments.get(key) if isinstance(arguments, dict) else None
        if not isinstance(value, str):
            return f'Error: "{key}" must be a string.', True
        if value not in schema.get("enum", [value]):
            return f'Error: "{key}" must be one of {", ".join(schema["enum"])}.', True
    try:
        return function(**{key: arguments[key] for key in properties}), False
    except ToolError as error:
        return f"Error: {error}", True


# --- 3. The loop. -----------------------------------------------------------------------------------------------------


def play(server, question):
    system = "You play a text adventure through tools. Say only what the tools have shown you."
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    errors_in_a_row = 0
    for turn in range(1, MAX_TURNS + 1):
        reply = ask(server, messages)
        calls = reply.get("tool_calls") or []
        if not calls:
            return reply["content"]
        # A vendor refuses arguments that are not JSON, so broken ones can't go back as they came.
        sendable = [{**call, "function": {**call["function"], "arguments": as_json(call)}} for call in calls]
        messages.append({"role": "assistant", "content": reply.get("content"), "tool_calls": sendable})
        for call in calls:
            content, is_error = answer(call)
            print(f"{turn}. {call['function']['name']}({call['function']['arguments']}) -> {content}", file=sys.stderr)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
            errors_in_a_row = errors_in_a_row + 1 if is_error else 0
            if errors_in_a_row >= MAX_ERRORS_IN_A_ROW:
                raise SystemExit(f"{errors_in_a_row} errors in a row: giving up.")
    raise SystemExit(f"No answer after {MAX_TURNS} turns: giving up.")


def as_json(call):
    try:
        return json.dumps(json.loads(call["function"]["arguments"]))
    except ValueError:
        return "{}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Open the temple door.")
    parser.add_argument("--base-url", default=os.environ.get("BASE_URL", "http://127.0.0.1:11434/v1"))
    parser.add_argument("--model", default=os.environ.get("MODEL", "qwen3"))
    parser.add_argument("--api-key", default=os.environ.get("OPENAI_API_KEY", "none"))
    print(play(parser.parse_args(), "Open the temple door."))
