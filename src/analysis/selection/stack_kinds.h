// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The state of a thread, derived from the names of its frames.
enum class StackKind : uint8_t {
  kOther = 0,
  kPythonWait,   // the JVM waits for its Python worker
  kPythonStart,  // the JVM starts a Python worker, or waits until it is running
  kGc,           // a thread of the garbage collector
  kJit,          // a thread of the JIT compiler
  kVmWait,       // a Java thread inside the VM: it waits for memory, at a safepoint, or for the compiler
  kEngineWait,   // a task's thread is in its native engine, which computes on its own threads
  kEngine,       // code of an engine's thread, below the frame that waits for it
};

// One entry per stack of the table.
//
// A stack waits for Python if it contains PythonRunner's ReaderIterator.hasNext and its leaf waits on the worker's
// socket: an epoll wait below ReaderInputStream.read (Spark 4.1) or a socket read (Spark 3.x). It also waits if it
// contains [waiting for Python], which stitching adds.
std::vector<StackKind> KindsOfStacks(const Application& application);

// Sampled CPU time of native engines' threads for tasks.
int64_t CpuOfEngines(const Application& application);

// "java.lang.Object.wait below org.apache.spark.util.KeyLock.acquireLock": the Java function in which stacks wait, and
// the nearest one outside of the JDK.
struct WaitPlace {
  std::string text;
  int64_t weight_ns = 0;
};

// Longest waits first.
std::vector<WaitPlace> PlacesOf(const Application& application, const std::map<StackId, int64_t>& weight_of_stacks);

}  // namespace sparkprof
