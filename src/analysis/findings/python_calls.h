// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/application.h"

namespace sparkprof {

// A function of the program that a plan or several plans call with the same columns.
struct RepeatedCall {
  std::string function;  // "risk"; empty = none
  int64_t count = 0;     // of the operators or queries that call it, at least 2
};

// The function that most operators of a stage call: the optimizer copies it, as to a filter below the column that it
// makes.
RepeatedCall CallOfMostOperators(const Application& application, const Stage& stage);

// The function of the stage that most queries call. Nothing for streams, which have a query for each batch.
RepeatedCall CallOfMostQueries(const Application& application, const Stage& stage);

// The function of a CASE or coalesce() that needs its result for some rows only: Spark calls Python for all rows before
// it evaluates the condition. Empty = none.
std::string GuardedCall(const Application& application, const Stage& stage);

}  // namespace sparkprof
