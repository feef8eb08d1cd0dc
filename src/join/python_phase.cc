// SPDX-License-Identifier: Apache-2.0
#include "join/python_phase.h"

#include <algorithm>

namespace sparkprof {
namespace {

// The modules directly in PySpark's package: a user's folder may also be called pyspark.
constexpr std::string_view kPysparkParts[] = {"accumulators.py",
                                              "broadcast.py",
                                              "cloudpickle",
                                              "conf.py",
                                              "context.py",
                                              "core/",
                                              "daemon.py",
                                              "errors/",
                                              "files.py",
                                              "find_spark_home.py",
                                              "java_gateway.py",
                                              "logger/",
                                              "ml/",
                                              "mllib/",
                                              "pandas/",
                                              "pipelines/",
                                              "profiler.py",
                                              "rdd.py",
                                              "rddsampler.py",
                                              "resource/",
                                              "resultiterable.py",
                                              "serializers.py",
                                              "shuffle.py",
                                              "sql/",
                                              "statcounter.py",
                                              "status.py",
                                              "storagelevel.py",
                                              "streaming/",
                                              "taskcontext.py",
                                              "traceback_utils.py",
                                              "util.py",
                                              "worker.py",
                                              "worker_util.py"};
constexpr std::string_view kStarters[] = {"<frozen runpy>",           "/runpy.py",
                                          "/sparkprof/daemon.py",     "/sparkprof/worker.py",
                                          "/sparkprof/_hooks.py",     "/sparkprof/_sampler.py",
                                          "/sparkprof/_collector.py", "/sparkprof/pyspark_profilers.py"};

struct NamedPhase {
  std::string_view function;  // the last part of its qualified name
  PythonPhase phase;
};
constexpr NamedPhase kNames[] = {
    {"load_stream", PythonPhase::kDeserialization},
    {"_load_stream_without_unbatching", PythonPhase::kDeserialization},
    {"_read_with_length", PythonPhase::kDeserialization},
    {"loads", PythonPhase::kDeserialization},
    {"read_int", PythonPhase::kDeserialization},
    {"read_long", PythonPhase::kDeserialization},
    {"read_bool", PythonPhase::kDeserialization},
    {"arrow_to_pandas", PythonPhase::kDeserialization},
    {"process_group", PythonPhase::kDeserialization},
    {"generate_data_batches", PythonPhase::kDeserialization},
    {"gen_data_and_state", PythonPhase::kDeserialization},
    {"row_stream", PythonPhase::kDeserialization},
    {"extract_rows", PythonPhase::kDeserialization},
    {"dumps", PythonPhase::kSerialization},
    {"_write_with_length", PythonPhase::kSerialization},
    {"write_with_length", PythonPhase::kSerialization},
    {"write_int", PythonPhase::kSerialization},
    {"write_long", PythonPhase::kSerialization},
    {"_create_batch", PythonPhase::kSerialization},
    {"_create_array", PythonPhase::kSerialization},
    {"_create_struct_array", PythonPhase::kSerialization},
    {"create_array", PythonPhase::kSerialization},
    {"dump_stream", PythonPhase::kOutputLoop},
    {"_batched", PythonPhase::kOutputLoop},
    {"wrap_and_init_stream", PythonPhase::kOutputLoop},
    {"init_stream_yield_batches", PythonPhase::kOutputLoop},
    {"apply_type_coercion", PythonPhase::kOutputLoop},
    {"py_to_batch", PythonPhase::kOutputLoop},
    {"serialize_batches", PythonPhase::kOutputLoop},
    {"flatten_iterator", PythonPhase::kOutputLoop},
};

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool IsPysparkPart(std::string_view rest) {
  return std::any_of(std::begin(kPysparkParts), std::end(kPysparkParts),
                     [&](std::string_view part) { return rest.starts_with(part); });
}

// These call the user's function, or what does.
bool IsDriverOfFunctions(std::string_view file) {
  return file.ends_with("/worker.py") || file.ends_with("/util.py") || file.ends_with("/rdd.py") ||
         file.ends_with("/shuffle.py") || file.ends_with("/daemon.py");
}

bool Converts(PythonPhase phase) {
  return phase == PythonPhase::kDeserialization || phase == PythonPhase::kSerialization;
}

PythonPhase PhaseOfPyspark(PythonPhase parent, std::string_view function, std::string_view file) {
  if (file.ends_with("serializers.py")) {
    const std::string_view name = function.substr(function.rfind('.') + 1);
    for (const NamedPhase& named : kNames) {
      if (name == named.function) return named.phase;
    }
    // A nested helper of a serializer, or a comprehension.
    if (Converts(parent) || parent == PythonPhase::kOutputLoop) return parent;
  }
  if (IsDriverOfFunctions(file)) return PythonPhase::kRuntime;
  return Converts(parent) || parent == PythonPhase::kUser ? parent : PythonPhase::kRuntime;
}

}  // namespace

bool IsPysparkFile(std::string_view file) {
  if (file.find("/sparkprof_python_") != std::string_view::npos) return true;  // the module that the plugin writes
  for (const std::string_view starter : kStarters) {
    if (file.ends_with(starter)) return true;
  }
  for (const std::string_view package : {"/pyspark/", "/pyspark.zip/pyspark/"}) {
    for (size_t at = file.find(package); at != std::string_view::npos; at = file.find(package, at + 1)) {
      if (IsPysparkPart(file.substr(at + package.size()))) return true;
    }
  }
  return file.starts_with("pyspark/") && IsPysparkPart(file.substr(8));
}

PythonPhase PhaseOf(PythonPhase parent, std::string_view function, std::string_view file) {
  if (IsPysparkFile(file)) return PhaseOfPyspark(parent, function, file);
  if (Converts(parent)) return parent;
  if (parent == PythonPhase::kOutputLoop && (Contains(file, "/pyarrow/") || Contains(file, "/pandas/"))) {
    return PythonPhase::kSerialization;
  }
  return PythonPhase::kUser;
}

PythonPhase PythonPhases::Of(StackId stack) {
  while (known_.size() <= stack) {
    const StackTable::Node& node = stacks_->Get(static_cast<StackId>(known_.size()));
    const Frame& frame = frames_->Get(node.frame);
    const PythonPhase parent = known_[node.parent];
    known_.push_back(frame.kind == FrameKind::kPython
                         ? PhaseOf(parent, strings_->Get(frame.name), strings_->Get(frame.file))
                         : parent);
  }
  return known_[stack];
}

}  // namespace sparkprof
