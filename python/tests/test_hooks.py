# SPDX-License-Identifier: Apache-2.0
import functools
import unittest

from sparkprof import _hooks


def score(value):
    return value


def of_pyspark(source, **names):
    """The function `made` of a module of PySpark's."""
    module = {"__name__": "pyspark.sql.udf", "functools": functools, **names}
    exec(source, module)
    return module["made"]


class UserFunctionsTest(unittest.TestCase):
    def check_score_is_found(self, command):
        self.assertEqual(_hooks.user_functions(command), [("score", __file__, score.__code__.co_firstlineno)])

    def test_a_function_is_found_below_what_pyspark_wraps_around_it(self):
        wrapper = of_pyspark("def wrap(f):\n    return lambda *a: f(*a)\nmade = wrap(user)", user=score)
        self.check_score_is_found((wrapper, None))

    def test_a_wrapper_that_has_the_users_name_and_module_is_pysparks(self):
        wrapper = of_pyspark(
            "def wrap(f):\n    @functools.wraps(f)\n    def call(*a):\n        return f(*a)\n    return call\nmade = wrap(user)", user=score
        )
        self.assertEqual((wrapper.__name__, wrapper.__module__), ("score", __name__))
        self.check_score_is_found(wrapper)
