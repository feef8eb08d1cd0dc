// SPDX-License-Identifier: Apache-2.0
#include "profiles/frame_origin.h"

#include <re2/re2.h>

#include "join/python_phase.h"
#include "libraries/libraries.h"

namespace sparkprof {
namespace {

struct Prefix {
  std::string_view text;
  FrameOrigin origin;
};

// The first match counts.
constexpr Prefix kJvmPrefixes[] = {
    {"java.", FrameOrigin::kJdk},
    {"javax.", FrameOrigin::kJdk},
    {"jdk.", FrameOrigin::kJdk},
    {"sun.", FrameOrigin::kJdk},
    {"com.sun.", FrameOrigin::kJdk},
    {"scala.", FrameOrigin::kJdk},
    {"org.apache.spark.examples.", FrameOrigin::kUser},
    {"org.apache.spark.", FrameOrigin::kSpark},
    {"org.sparkproject.", FrameOrigin::kSpark},
    {"org.apache.", FrameOrigin::kLibrary},
    {"io.netty.", FrameOrigin::kLibrary},
    {"com.google.", FrameOrigin::kLibrary},
    {"com.fasterxml.", FrameOrigin::kLibrary},
    {"com.esotericsoftware.", FrameOrigin::kLibrary},
    {"com.codahale.", FrameOrigin::kLibrary},
    {"com.github.luben.", FrameOrigin::kLibrary},
    {"com.ning.", FrameOrigin::kLibrary},
    {"com.twitter.", FrameOrigin::kLibrary},
    {"com.amazonaws.", FrameOrigin::kLibrary},
    {"software.amazon.", FrameOrigin::kLibrary},
    {"net.jpountz.", FrameOrigin::kLibrary},
    {"net.razorvine.", FrameOrigin::kLibrary},
    {"org.codehaus.", FrameOrigin::kLibrary},
    {"org.eclipse.", FrameOrigin::kLibrary},
    {"org.glassfish.", FrameOrigin::kLibrary},
    {"org.json4s.", FrameOrigin::kLibrary},
    {"org.objenesis.", FrameOrigin::kLibrary},
    {"org.roaringbitmap.", FrameOrigin::kLibrary},
    {"org.slf4j.", FrameOrigin::kLibrary},
    {"org.xerial.", FrameOrigin::kLibrary},
    {"org.sparkprof.", FrameOrigin::kLibrary},
    {"one.profiler.", FrameOrigin::kLibrary},
    {"breeze.", FrameOrigin::kLibrary},
    {"akka.", FrameOrigin::kLibrary},
    {"antlr.", FrameOrigin::kLibrary},
    {"cats.", FrameOrigin::kLibrary},
    {"com.azure.", FrameOrigin::kLibrary},
    {"com.clearspring.", FrameOrigin::kLibrary},
    {"com.databricks.", FrameOrigin::kLibrary},
    {"com.github.benmanes.", FrameOrigin::kLibrary},
    {"com.ibm.icu.", FrameOrigin::kLibrary},
    {"com.jcraft.", FrameOrigin::kLibrary},
    {"com.lmax.", FrameOrigin::kLibrary},
    {"com.microsoft.sqlserver.", FrameOrigin::kLibrary},
    {"com.mysql.", FrameOrigin::kLibrary},
    {"com.nvidia.", FrameOrigin::kLibrary},
    {"com.thoughtworks.", FrameOrigin::kLibrary},
    {"com.typesafe.", FrameOrigin::kLibrary},
    {"com.univocity.", FrameOrigin::kLibrary},
    {"com.zaxxer.", FrameOrigin::kLibrary},
    {"io.airlift.", FrameOrigin::kLibrary},
    {"io.fabric8.", FrameOrigin::kLibrary},
    {"io.glutenproject.", FrameOrigin::kLibrary},
    {"io.grpc.", FrameOrigin::kLibrary},
    {"io.opentelemetry.", FrameOrigin::kLibrary},
    {"io.prometheus.", FrameOrigin::kLibrary},
    {"jakarta.", FrameOrigin::kLibrary},
    {"javolution.", FrameOrigin::kLibrary},
    {"jline.", FrameOrigin::kLibrary},
    {"kotlin.", FrameOrigin::kLibrary},
    {"net.bytebuddy.", FrameOrigin::kLibrary},
    {"net.sf.", FrameOrigin::kLibrary},
    {"net.snowflake.", FrameOrigin::kLibrary},
    {"okhttp3.", FrameOrigin::kLibrary},
    {"okio.", FrameOrigin::kLibrary},
    {"oracle.", FrameOrigin::kLibrary},
    {"org.antlr.", FrameOrigin::kLibrary},
    {"org.bouncycastle.", FrameOrigin::kLibrary},
    {"org.checkerframework.", FrameOrigin::kLibrary},
    {"org.datanucleus.", FrameOrigin::kLibrary},
    {"org.jctools.", FrameOrigin::kLibrary},
    {"org.jetbrains.", FrameOrigin::kLibrary},
    {"org.jline.", FrameOrigin::kLibrary},
    {"org.joda.", FrameOrigin::kLibrary},
    {"org.locationtech.", FrameOrigin::kLibrary},
    {"org.mariadb.", FrameOrigin::kLibrary},
    {"org.postgresql.", FrameOrigin::kLibrary},
    {"org.rocksdb.", FrameOrigin::kLibrary},
    {"org.threeten.", FrameOrigin::kLibrary},
    {"org.yaml.", FrameOrigin::kLibrary},
    {"reactor.", FrameOrigin::kLibrary},
    {"shapeless.", FrameOrigin::kLibrary},
    {"spire.", FrameOrigin::kLibrary},
    {"py4j.", FrameOrigin::kLibrary},
    {"ai.onnxruntime.", FrameOrigin::kLibrary},
    {"com.clickhouse.", FrameOrigin::kLibrary},
    {"com.couchbase.", FrameOrigin::kLibrary},
    {"com.datastax.", FrameOrigin::kLibrary},
    {"com.ibm.db2.", FrameOrigin::kLibrary},
    {"com.intellij.", FrameOrigin::kLibrary},
    {"com.microsoft.azure.", FrameOrigin::kLibrary},
    {"com.mongodb.", FrameOrigin::kLibrary},
    {"com.teradata.", FrameOrigin::kLibrary},
    {"com.vertica.", FrameOrigin::kLibrary},
    {"io.confluent.", FrameOrigin::kLibrary},
    {"io.micrometer.", FrameOrigin::kLibrary},
    {"ml.dmlc.", FrameOrigin::kLibrary},
    {"org.elasticsearch.", FrameOrigin::kLibrary},
    {"org.junit.", FrameOrigin::kLibrary},
    {"org.mongodb.", FrameOrigin::kLibrary},
    {"org.neo4j.", FrameOrigin::kLibrary},
    {"org.opensearch.", FrameOrigin::kLibrary},
    {"org.scalatest.", FrameOrigin::kLibrary},
    {"org.springframework.", FrameOrigin::kLibrary},
    {"org.tensorflow.", FrameOrigin::kLibrary},
    {"org.testng.", FrameOrigin::kLibrary},
    {"redis.clients.", FrameOrigin::kLibrary},
    {"sbt.", FrameOrigin::kLibrary},
};

// Symbols of libjvm.so for recordings without library names: C++ classes and C entry points of HotSpot.
constexpr std::string_view kVmSymbols[] = {"G1",
                                           "Parallel",
                                           "PS",
                                           "Shenandoah",
                                           "Z",
                                           "Serial",
                                           "GC",
                                           "GenCollected",
                                           "JVM_",
                                           "Unsafe_",
                                           "JavaThread",
                                           "JavaCalls",
                                           "Interpreter",
                                           "Compile",
                                           "C2Compiler",
                                           "Compiler",
                                           "Phase",
                                           "LinearScan",
                                           "InstructClassLoader",
                                           "SystemDictionary",
                                           "ClassFileParser",
                                           "ClassLoader",
                                           "Symbol",
                                           "SharedRuntime",
                                           "OptoRuntime",
                                           "Runtime1",
                                           "StubRoutines",
                                           "VMThread",
                                           "VM_",
                                           "WatcherThread",
                                           "Monitor",
                                           "ObjectMonitor",
                                           "ObjectSynchronizer",
                                           "Deoptimization",
                                           "nmethod",
                                           "CodeHeap",
                                           "CodeCache",
                                           "MetaspaceArena",
                                           "Method",
                                           "InstanceKlass",
                                           "Klass",
                                           "LinkResolver",
                                           "vtable stub",
                                           "itable stub",
                                           "jni_",
                                           "jvm",
                                           "os::",
                                           "Copy::",
                                           "oop",
                                           "MemAllocator",
                                           "CollectedHeap",
                                           "ThreadLocalAllocBuffer",
                                           "SafepointSynchronize",
                                           "TaskQueue",
                                           "WorkGang",
                                           "WorkerThread",
                                           "Worker",
                                           "GangWorker",
                                           "AbstractGangWorker",
                                           "ConcurrentMark",
                                           "Par",
                                           "Node::",
                                           "PhiNode",
                                           "IGVN",
                                           "Parse::",
                                           "Matcher",
                                           "Chaitin",
                                           "ciMethod",
                                           "ciEnv",
                                           "Arena::",
                                           "Thread::"};

bool StartsWithAny(std::string_view name, const auto& prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

bool NameContains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

FrameOrigin JvmOrigin(std::string_view name) {
  for (const Prefix& prefix : kJvmPrefixes) {
    if (name.starts_with(prefix.text)) return prefix.origin;
  }
  if (IsOfLibrary(name)) return FrameOrigin::kLibrary;
  // A copy of a library in another library's jar.
  for (const std::string_view part :
       {".shaded.", ".shadow.", ".repackaged.", ".relocated.", "shaded.", "repackaged."}) {
    const bool is_whole = part.front() == '.';
    if (is_whole ? NameContains(name, part) : name.starts_with(part)) return FrameOrigin::kLibrary;
  }
  return FrameOrigin::kUser;
}

FrameOrigin NativeOrigin(std::string_view name, std::string_view file) {
  if (NameContains(file, "libjvm")) return FrameOrigin::kVm;
  if (NameContains(file, "libpython") || NameContains(file, "/python")) return FrameOrigin::kPythonRuntime;
  // NumPy's functions are named PyArray_… and so on.
  if (!file.empty()) return FrameOrigin::kLibrary;
  if (name.starts_with("Py") || name.starts_with("_Py")) return FrameOrigin::kPythonRuntime;
  return StartsWithAny(name, kVmSymbols) ? FrameOrigin::kVm : FrameOrigin::kLibrary;
}

FrameOrigin PythonOrigin(std::string_view file) {
  if (IsPysparkFile(file)) return FrameOrigin::kSpark;
  if (NameContains(file, "site-packages/") || NameContains(file, "dist-packages/") || NameContains(file, "py4j-")) {
    return FrameOrigin::kLibrary;
  }
  // Python runs sitecustomize.py as it starts: that of `sparkprof run` has the sampler of the program.
  if (file.empty() || file.front() == '<' || NameContains(file, "/lib/python3") ||
      NameContains(file, "/lib64/python3") || file.ends_with("/sitecustomize.py")) {
    return FrameOrigin::kPythonRuntime;
  }
  return FrameOrigin::kUser;
}

}  // namespace

FrameOrigin OriginOf(std::string_view name, std::string_view file, FrameKind kind) {
  switch (kind) {
    case FrameKind::kJit:
    case FrameKind::kInterpreted:
    case FrameKind::kInlined:
      return JvmOrigin(name);
    case FrameKind::kNative:
      return NativeOrigin(name, file);
    case FrameKind::kPython:
      return PythonOrigin(file);
    case FrameKind::kUnknown:
    case FrameKind::kKernel:
    case FrameKind::kSynthetic:
      break;
  }
  return FrameOrigin::kLibrary;
}

std::string LastingFile(std::string_view path) {
  static const RE2 kUuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const RE2 kFolderNumber("[0-9]{3,}");
  static const RE2 kFileNumber("[0-9]{4,}");
  const size_t slash = path.rfind('/');
  std::string name(path.substr(slash + 1));
  RE2::GlobalReplace(&name, kFileNumber, "#");
  if (slash == std::string_view::npos || slash == 0) return name;
  const std::string_view above = path.substr(0, slash);
  std::string folder(above.substr(above.rfind('/') + 1));
  RE2::GlobalReplace(&folder, kUuid, "#");
  RE2::GlobalReplace(&folder, kFolderNumber, "#");
  return folder.empty() ? name : folder + "/" + name;
}

}  // namespace sparkprof
