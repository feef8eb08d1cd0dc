# SPDX-License-Identifier: Apache-2.0
"""Reports to the sampler which task a PySpark worker runs, and which of the user's functions it runs.

Works on PySpark's objects, never on its wire protocol, which differs between versions. A hook that finds something else
than it knows leaves everything as it is.
"""

import functools
import types

from sparkprof import _sampler

_MAX_FUNCTIONS = 64
_MAX_DEPTH = 16
_LOCALS = "<locals>."

_failures = []  # (hook, what happened) that the recording does not have yet
_eval_type = 0  # for the task's functions; 0 = functions of an RDD


def install(worker_module="pyspark.worker"):
    """Hooks PySpark in this process; its workers are forked from it or run in it."""
    _guarded(_hook_task_context)
    _guarded(_hook_worker_util)
    for name in {"pyspark.worker", worker_module}:
        _guarded(_hook_worker, name)


def user_functions(command):
    """(name, file, first line) of the user's functions that a command of a task calls, outermost first."""
    found = []
    _collect(command, found, set(), 0)
    return found


def _guarded(hook, *arguments):
    try:
        hook(*arguments)
    except Exception as error:  # the worker works without the hook
        _failures.append((hook.__name__, f"{hook.__name__.strip('_')}: {type(error).__name__}: {error}"))
    if _failures and _sampler.is_running():
        for name, text in _failures:
            _sampler.complain(name, f"Python tasks or functions are missing: {text}")
        _failures.clear()


def _hook_task_context():
    from pyspark.taskcontext import TaskContext

    def get_id(self):
        return self.__dict__.get("_taskAttemptId")

    def set_id(self, value):
        self.__dict__["_taskAttemptId"] = value
        if value is not None:
            _guarded(_begin, self, value)

    # The earliest time at which a worker has its task; PySpark sets stage and partition before.
    TaskContext._taskAttemptId = property(get_id, set_id)

    original = TaskContext.__dict__["_setTaskContext"].__func__

    @classmethod
    def set_context(cls, context):
        original(cls, context)
        if context is None:
            _guarded(_sampler.end_task)

    TaskContext._setTaskContext = set_context


def _begin(context, task):
    global _eval_type
    _eval_type = 0
    numbers = [getattr(context, name, None) for name in ("_stageId", "_partitionId", "_attemptNumber")]
    stage, partition, attempt = (-1 if number is None else int(number) for number in numbers)
    _sampler.begin_task(int(task), stage, partition, max(attempt, 0))


def _hook_worker_util():
    # Imported by name into the worker's module, also where that runs as __main__ (PySpark 4).
    try:
        import pyspark.worker_util
    except ImportError:  # before Spark 3.5
        return
    pyspark.worker_util.read_command = _reading(pyspark.worker_util.read_command)


def _hook_worker(name):
    worker = __import__(name, fromlist=["main"])
    if hasattr(worker, "read_command") and not hasattr(worker.read_command, "_sparkprof"):
        worker.read_command = _reading(worker.read_command)
    for reader in ("read_udfs", "read_udtf"):
        if hasattr(worker, reader):
            setattr(worker, reader, _knowing_type(getattr(worker, reader)))
    worker.main = _finishing(worker.main)


def _reading(read_command):
    @functools.wraps(read_command)
    def read(*arguments, **keywords):
        command = read_command(*arguments, **keywords)
        _guarded(_tell_functions, command)
        return command

    read._sparkprof = True
    return read


def _knowing_type(reader):
    @functools.wraps(reader)
    def read(pickle, file, eval_type, *arguments, **keywords):
        global _eval_type
        _eval_type = eval_type if isinstance(eval_type, int) else 0
        functions = reader(pickle, file, eval_type, *arguments, **keywords)
        _guarded(_sampler.follow_allocators)  # their modules are imported now
        return functions

    return read


def _finishing(main):
    @functools.wraps(main)
    def run(*arguments, **keywords):
        try:
            return main(*arguments, **keywords)
        finally:
            _guarded(_sampler.end_task)

    return run


def _tell_functions(command):
    for name, file, first_line in user_functions(command):
        _sampler.add_udf(_eval_type, name, file, first_line)


def _is_pyspark(function):
    # By module: what is pickled by value has the file's name of the driver, whose PySpark may lie elsewhere. By that of
    # its globals: functools.wraps lends a wrapper the user's, as where Spark profiles UDFs.
    module = function.__globals__.get("__name__") or function.__module__ or ""
    return module.partition(".")[0] == "pyspark"


def _collect(value, found, seen, depth):
    if depth > _MAX_DEPTH or len(found) >= _MAX_FUNCTIONS or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (tuple, list)):
        parts = list(value)
    elif isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, types.MethodType):
        parts = [value.__func__]
    elif isinstance(value, types.FunctionType):
        code = value.__code__
        if not _is_pyspark(value):
            name = value.__qualname__
            entry = (name[name.rfind(_LOCALS) + len(_LOCALS) :] if _LOCALS in name else name, code.co_filename, code.co_firstlineno)
            if entry not in found:
                found.append(entry)
            return
        # One of PySpark's own wrappers: the function it calls is in its closure.
        parts = [getattr(value, "__wrapped__", None), *(_content(cell) for cell in value.__closure__ or ())]
    elif isinstance(value, type):
        # A UDTF: its methods are what runs.
        parts = [value.__dict__.get(name) for name in ("eval", "analyze", "terminate", "__init__")]
    elif callable(value) and not isinstance(value, types.BuiltinFunctionType):
        parts = [getattr(type(value), "__call__", None), getattr(value, "func", None)]  # noqa: B004
    else:
        return
    for part in parts:
        _collect(part, found, seen, depth + 1)


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None
