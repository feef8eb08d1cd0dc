// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// What a stack says about its thread, by the names of its frames.
enum class StackKind : uint8_t {
  kOther = 0,
  kPythonWait,  // the JVM waits for its Python worker
  kGc,          // a thread of the garbage collector
  kJit,         // a thread of the JIT compiler
};

// One for each stack of the table.
//
// A stack waits for Python when PythonRunner's ReaderIterator.hasNext is in it and its leaf waits on the worker's
// socket: an epoll wait below ReaderInputStream.read (Spark 4.1) or a socket read (Spark 3.x); [waiting for Python],
// which the stitching of both stacks puts there, says the same.
std::vector<StackKind> KindsOfStacks(const Application& application);

}  // namespace sparkprof
