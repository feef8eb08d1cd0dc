// SPDX-License-Identifier: Apache-2.0
#include "join/python_phase.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sparkprof {
namespace {

constexpr char kZip[] = "/opt/spark/python/lib/pyspark.zip/pyspark/";

std::string Pyspark(const char* file) { return kZip + std::string(file); }

// Phase of the last of the frames (function, file), root first.
PythonPhase PhaseAtEndOf(const std::vector<std::pair<std::string, std::string>>& frames) {
  PythonPhase phase = PythonPhase::kNone;
  for (const auto& [function, file] : frames) phase = PhaseOf(phase, function, file);
  return phase;
}

TEST(PythonPhaseTest, AUdfIsTheUsersAndSoIsWhatItCalls) {
  std::vector<std::pair<std::string, std::string>> stack = {
      {"_run_module_as_main", "<frozen runpy>"},
      {"main", Pyspark("worker.py")},
      {"main.<locals>.process", Pyspark("worker.py")},
      {"BatchedSerializer.dump_stream", Pyspark("serializers.py")},
      {"mapper", Pyspark("worker.py")}};
  EXPECT_EQ(PhaseAtEndOf(stack), PythonPhase::kRuntime);
  stack.emplace_back("score", "/home/me/job.py");
  EXPECT_EQ(PhaseAtEndOf(stack), PythonPhase::kUser);
  stack.emplace_back("DataFrame.sum", "/usr/lib/python3/dist-packages/pandas/core/frame.py");
  EXPECT_EQ(PhaseAtEndOf(stack), PythonPhase::kUser);
}

TEST(PythonPhaseTest, AnRddFunctionIsCalledFromTheSerializersLoop) {
  EXPECT_EQ(PhaseAtEndOf({{"process", Pyspark("worker.py")},
                          {"dump_stream", Pyspark("serializers.py")},
                          {"_batched", Pyspark("serializers.py")},
                          {"<lambda>", "/home/me/job.py"}}),
            PythonPhase::kUser);
}

TEST(PythonPhaseTest, PandasIsTheSerializersWhenItConvertsABatch) {
  const std::string pandas = "/usr/lib/python3/dist-packages/pandas/core/series.py";
  EXPECT_EQ(PhaseAtEndOf({{"process", Pyspark("worker.py")},
                          {"load_stream", Pyspark("sql/pandas/serializers.py")},
                          {"<listcomp>", Pyspark("sql/pandas/serializers.py")},
                          {"arrow_to_pandas", Pyspark("sql/pandas/serializers.py")},
                          {"_convert", Pyspark("sql/pandas/types.py")},
                          {"Series.__init__", pandas}}),
            PythonPhase::kDeserialization);
  EXPECT_EQ(PhaseAtEndOf({{"dump_stream", Pyspark("sql/pandas/serializers.py")},
                          {"ArrowStreamPandasSerializer._create_batch", Pyspark("sql/pandas/serializers.py")},
                          {"Series.__init__", pandas}}),
            PythonPhase::kSerialization);
  EXPECT_EQ(PhaseAtEndOf({{"dump_stream", Pyspark("sql/pandas/serializers.py")},
                          {"new_stream", "/usr/lib/python3/dist-packages/pyarrow/ipc.py"}}),
            PythonPhase::kSerialization);
}

TEST(PythonPhaseTest, AUsersGeneratorThatDrawsRowsDeserializes) {
  EXPECT_EQ(PhaseAtEndOf({{"process", Pyspark("worker.py")},
                          {"user_map", "/home/me/job.py"},
                          {"load_stream", Pyspark("serializers.py")},
                          {"read_int", Pyspark("serializers.py")}}),
            PythonPhase::kDeserialization);
}

TEST(PythonPhaseTest, AFolderOfTheUserThatIsCalledPysparkIsTheUsers) {
  EXPECT_FALSE(IsPysparkFile("/home/me/pyspark/job.py"));
  EXPECT_TRUE(IsPysparkFile("/home/me/pyspark/venv/lib/python3.11/site-packages/pyspark/worker.py"));
  EXPECT_TRUE(IsPysparkFile("pyspark/worker.py"));
  EXPECT_EQ(PhaseOf(PythonPhase::kNone, "main", "/home/me/job.py"), PythonPhase::kUser) << "the driver's own Python";
}

}  // namespace
}  // namespace sparkprof
