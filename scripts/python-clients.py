"""The official Python clients against a loopback server, which answers each first request with a call and each second with a text.

Prints one line for each client and way of asking; the exit code is the number of those that failed.
"""

import sys
import traceback

import anthropic
import ollama
import openai

ORIGIN = sys.argv[1]
PARAMETERS = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
ANSWER = "It is rusted shut."


def same(seen, wanted):
    if seen != wanted:
        raise AssertionError(f"expected {wanted!r}, got {seen!r}")


def openai_client():
    # With the check of every field that the client itself leaves out by default.
    return openai.OpenAI(base_url=f"{ORIGIN}/v1", api_key="k", max_retries=0, _strict_response_validation=True)


def chat(stream):
    client = openai_client()
    tools = [{"type": "function", "function": {"name": "look", "parameters": PARAMETERS}}]
    messages = [{"role": "user", "content": "Look."}]

    def ask():
        body = {"model": "demo", "messages": messages, "tools": tools}
        if not stream:
            return client.chat.completions.create(**body).choices[0].message
        with client.chat.completions.stream(**body) as events:
            return events.get_final_completion().choices[0].message

    reply = ask()
    call = reply.tool_calls[0]
    same((call.function.name, call.function.arguments), ("look", '{"at":"door"}'))
    sent = {"id": call.id, "type": "function", "function": {"name": "look", "arguments": call.function.arguments}}
    messages.append({"role": "assistant", "content": reply.content, "tool_calls": [sent]})
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "Rust."})
    same(ask().content, ANSWER)


def responses(stream):
    client = openai_client()
    tools = [{"type": "function", "name": "look", "parameters": PARAMETERS, "strict": False}]

    def ask(**more):
        body = {"model": "demo", "tools": tools, **more}
        if not stream:
            return client.responses.create(**body)
        with client.responses.stream(**body) as events:
            return events.get_final_response()

    first = ask(input="Look.")
    call = next(item for item in first.output if item.type == "function_call")
    same((call.name, call.arguments), ("look", '{"at":"door"}'))
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Rust."}
    second = ask(previous_response_id=first.id, input=[result])
    same(second.output_text, ANSWER)
    same(client.responses.retrieve(first.id).id, first.id)


def messages(stream):
    client = anthropic.Anthropic(base_url=ORIGIN, api_key="k", max_retries=0, _strict_response_validation=True)
    tools = [{"name": "look", "input_schema": PARAMETERS}, {"type": "web_search_20250305", "name": "web_search"}]
    history = [{"role": "user", "content": "Look."}]

    def ask():
        body = {"model": "demo", "max_tokens": 99, "messages": history, "tools": tools}
        if not stream:
            return client.messages.create(**body)
        with client.messages.stream(**body) as events:
            return events.get_final_message()

    assert client.messages.count_tokens(model="demo", messages=history, tools=tools).input_tokens > 0
    reply = ask()
    call = next(block for block in reply.content if block.type == "tool_use")
    same((call.name, call.input), ("look", {"at": "door"}))
    history.append({"role": "assistant", "content": reply.content})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "Rust."}
    history.append({"role": "user", "content": [result]})
    same(ask().content[0].text, ANSWER)


def ollama_chat(stream):
    client = ollama.Client(host=ORIGIN)
    tools = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": PARAMETERS}}]
    history = [{"role": "user", "content": "Look."}]

    def ask():
        answer = client.chat(model="demo", messages=history, tools=tools, stream=stream)
        parts = [part.message for part in (answer if stream else [answer])]
        calls = [call for part in parts for call in part.tool_calls or []]
        return "".join(part.content or "" for part in parts), calls

    _, calls = ask()
    same([(call.function.name, dict(call.function.arguments)) for call in calls], [("look", {"at": "door"})])
    history.append({"role": "assistant", "content": "", "tool_calls": [call.model_dump() for call in calls]})
    history.append({"role": "tool", "content": "Rust.", "tool_name": "look"})
    same(ask()[0], ANSWER)


failed = 0
for version, cases in [
    (f"openai {openai.__version__}", [chat, responses]),
    (f"anthropic {anthropic.__version__}", [messages]),
    ("ollama", [ollama_chat]),
]:
    for case in cases:
        for stream in (False, True):
            name = f"{version}, {case.__name__}, {'streamed' if stream else 'plain'}"
            try:
                case(stream)
                print(f"ok      {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc(limit=-3, chain=False)[:2000]}", flush=True)
sys.exit(failed)
