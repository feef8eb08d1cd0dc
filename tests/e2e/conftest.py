# SPDX-License-Identifier: Apache-2.0
"""Splits the tests for scripts/test: two at a time, but for those that need the machine to themselves."""

# Why each of these modules runs while no other does.
ALONE = {
    "test_attach": "expects no other perf session and no other JVM that somebody attaches to",
    "test_attach_spark": "attaches to every Spark on the machine",
    "test_kills": "looks for files and agents that a killed program of sparkprof left behind",
    "test_look_permission": "closes every process of the machine to debuggers for a moment",
    "test_nodes": "measures how much of the machine one process takes from another",
    "test_truth": "compares sampled CPU time with clocks, and timers lose signals while other programs hold the cores",
    "test_yarn": "looks for agents that a killed container left behind",
}


def pytest_addoption(parser):
    parser.addoption("--alone", choices=("only", "never"), help="only the modules that run alone, or all others")


def pytest_collection_modifyitems(config, items):
    wanted = config.getoption("--alone")
    if wanted:
        left_out = [item for item in items if (item.module.__name__ in ALONE) != (wanted == "only")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
