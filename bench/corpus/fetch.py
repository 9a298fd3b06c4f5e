"""Writes the calls, declarations and questions of the Berkeley Function Calling Leaderboard as one JSON file.

Usage: python3 fetch.py OUTPUT.json [WHEEL]

The data is in the package bfcl-eval (Apache 2.0), which pip downloads; it is not part of this repository.
"""

import ast
import glob
import json
import os
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "bfcl-eval==2026.3.23"

# The data names types as Python, Java and JavaScript do.
TYPES = {
    "dict": "object", "hashmap": "object", "float": "number", "double": "number", "long": "integer",
    "tuple": "array", "arraylist": "array", "list": "array", "char": "string", "array": "array",
    "string": "string", "boolean": "boolean", "integer": "integer", "number": "number", "object": "object",
}
KEYWORDS = ("description", "enum", "minimum", "maximum", "minItems", "maxItems", "pattern", "format")


def schema_of(node):
    """The JSON Schema of a declared parameter."""
    schema = {key: node[key] for key in KEYWORDS if key in node and node[key] is not None}
    if not isinstance(schema.get("enum", []), list):
        del schema["enum"]
    name = TYPES.get(str(node.get("type", "")).lower())
    if name is not None:
        schema["type"] = name
    if name == "array":
        schema["items"] = schema_of(node["items"]) if isinstance(node.get("items"), dict) else {}
    if name == "object" and isinstance(node.get("properties"), dict):
        schema["properties"] = {key: schema_of(child) for key, child in node["properties"].items()}
        schema["required"] = [key for key in node.get("required", []) if key in schema["properties"]]
    return schema


def chosen(given, schema):
    """The first of the right values that are listed for a parameter; None where it is left out."""
    options = [value for value in given if value != ""] if isinstance(given, list) else [given]
    return None if not options else filled(options[0], schema)


def filled(value, schema):
    """Members of objects list their right values, too."""
    if isinstance(value, dict) and schema.get("properties"):
        found = {key: chosen(options, schema["properties"].get(key, {})) for key, options in value.items()}
        return {key: member for key, member in found.items() if member is not None}
    if isinstance(value, list):
        return [filled(item, schema.get("items", {})) for item in value]
    return value


def python_calls(code):
    """The calls in `[f(a=1), g(b=2)]` or `f(a=1)`, as far as they are literal."""
    try:
        tree = ast.parse(code, mode="eval").body
        for call in tree.elts if isinstance(tree, ast.List) else [tree]:
            name = ast.unparse(call.func)
            if not call.args:
                yield name, {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, AttributeError):
        return


def flat(value):
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, list):
            yield from flat(entry)
        else:
            yield entry


def lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue


def read(folder):
    declared, replies, declarations, questions = {}, [], {}, []
    shared = [one for path in sorted(glob.glob(f"{folder}/multi_turn_func_doc/*.json")) for one in lines(path)]
    files = sorted(glob.glob(f"{folder}/*.json") + glob.glob(f"{folder}/unused_datasets/question/*.json"))
    for path in files:
        for record in lines(path):
            if not isinstance(record, dict) or "id" not in record:
                continue
            functions = record.get("function", [])
            functions = functions if isinstance(functions, list) else [functions]
            # Conversations of several turns use the functions of whole services, declared once.
            own = functions or (shared if "involved_classes" in record else [])
            declared[record["id"]] = {}
            for one in own:
                parameters = schema_of(one.get("parameters") or {"type": "dict", "properties": {}})
                made = {"name": one["name"], "description": one.get("description", ""), "parameters": parameters}
                declared[record["id"]][one["name"]] = made
                declarations[json.dumps(made, sort_keys=True)] = made
            for turn in record.get("question", []):
                for message in turn if isinstance(turn, list) else [turn]:
                    if isinstance(message, dict) and message.get("role") == "user":
                        questions.append(message["content"])
    answers = glob.glob(f"{folder}/possible_answer/*.json") + glob.glob(f"{folder}/unused_datasets/possible_answer/*.json")
    for path in sorted(answers):
        for record in lines(path):
            known = declared.get(record.get("id"), {})
            calls = []
            for entry in flat(record.get("ground_truth", [])):
                if isinstance(entry, dict):
                    given = [(name, args, True) for name, args in entry.items() if isinstance(args, dict)]
                else:
                    given = [(name, args, False) for name, args in python_calls(str(entry))]
                for name, args, has_options in given:
                    declaration = known.get(name)
                    if declaration is None:
                        continue
                    value = filled(args, declaration["parameters"]) if has_options else args
                    if isinstance(value, dict):
                        calls.append({"name": name, "declaration": declaration, "input": value})
            # What a conversation of several turns calls is not one reply.
            is_one_reply = not any(isinstance(entry, list) for entry in record.get("ground_truth", []))
            replies.extend([calls] if is_one_reply and calls else [[call] for call in calls])
    return {"replies": replies, "declarations": list(declarations.values()), "questions": sorted(set(questions))}


def main():
    output = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        wheel = sys.argv[2] if len(sys.argv) > 2 else None
        if wheel is None:
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", folder, PACKAGE], check=True)
            wheel = glob.glob(f"{folder}/*.whl")[0]
        zipfile.ZipFile(wheel).extractall(folder)
        corpus = read(f"{folder}/bfcl_eval/data")
    os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
    with open(output, "w", encoding="utf-8") as file:
        json.dump(corpus, file)


main()
