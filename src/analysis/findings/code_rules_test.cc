// SPDX-License-Identifier: Apache-2.0
// Rules that read the samples of a stage: sleep, lock, repeated-init, python-bound.
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class CodeRulesTest : public StageFindingTest {
 protected:
  CodeRulesTest() {
    python_ = builder_.AddThread(300, "Python 300", executor_);
    wait_ = builder_.AddStack(
        {"org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext", "sun.nio.ch.EPoll.wait"});
  }

  // A task of 50 s that waits for Python all the time.
  void AddPythonTask(int64_t tid, double begin = 0) {
    builder_.AddTask(tid, stage_, executor_, begin, begin + 50, 1);
    builder_.AddSample(Event::kWall, 3, worker_, tid, wait_, 50 * kSecond).state = ThreadState::kSleeping;
  }

  void AddPythonSamples(int64_t tid, StackId stack, int64_t cpu_ns, int64_t wall_ns) {
    builder_.AddSample(Event::kCpu, 4, python_, tid, stack, cpu_ns);
    builder_.AddSample(Event::kWall, 4, python_, tid, stack, wall_ns);
    std::vector<Sample>& samples = application().profile.samples;
    for (auto sample = samples.end() - 2; sample != samples.end(); ++sample)
      application().python_samples.push_back(*sample);
    samples.resize(samples.size() - 2);
  }

  uint32_t python_;
  StackId wait_;
};

TEST_F(CodeRulesTest, ALineOfPythonThatUsesNoCpuSleeps) {
  AddPythonTask(1);
  AddPythonSamples(1, builder_.AddStack({Python("call_service", "/home/me/slacker.py", 21)}), 0, 50 * kSecond);
  const Finding sleep = Found("sleep");
  EXPECT_EQ(sleep.frames, std::vector<std::string>{"call_service (slacker.py:21)"});
  EXPECT_EQ(sleep.saving.likely_ns, ApplicationBuilder::Nanos(49));
  EXPECT_EQ(sleep.stages, std::vector<int64_t>{3});
  EXPECT_FALSE(Finds("python-bound"));
}

TEST_F(CodeRulesTest, TasksThatShareALockWaitInOneLineForLessThanHalfOfTheirTime) {
  AddPythonTask(1);
  const auto line = [&](uint32_t number) { return builder_.AddStack({Python("register", "/home/me/job.py", number)}); };
  AddPythonSamples(1, line(39), 34 * kSecond, 34 * kSecond);
  AddPythonSamples(1, line(35), 0, 16 * kSecond);
  const Finding finding = Found("sleep");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"register (job.py:35)"});
  EXPECT_TRUE(finding.change.starts_with("If the line takes a lock, compute before it")) << finding.change;
  AddPythonSamples(1, line(36), 0, 2 * kSecond);
  EXPECT_FALSE(Finds("sleep")) << "waits in several lines, for less than half of the time";
}

TEST_F(CodeRulesTest, APythonWorkerThatWaitsForACpuDoesNotSleep) {
  AddPythonTask(1);
  const StackId stack = builder_.AddStack({Python("compute", "/home/me/job.py", 7)});
  AddPythonSamples(1, stack, 5 * kSecond + 1, 50 * kSecond);  // just above a tenth
  EXPECT_FALSE(Finds("sleep"));
  const Finding python = Found("python-bound");
  EXPECT_EQ(python.frames, std::vector<std::string>{"compute (job.py:7)"});
}

TEST_F(CodeRulesTest, CodeThatCallsFunctionsForArraysHasNoBetterRewrite) {
  AddPythonTask(1);
  const FrameId step = Python("step", "/home/me/job.py", 7);
  AddPythonSamples(1, builder_.AddStack({step}), 40 * kSecond, 40 * kSecond);
  EXPECT_GT(Found("python-bound").saving.likely_ns, 0);
  AddPythonSamples(1, builder_.AddStack({step, Python("_sum", "/venv/site-packages/numpy/_core/_methods.py", 49)}),
                   2 * kSecond, 2 * kSecond);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.saving.likely_ns, 0);
  EXPECT_EQ(finding.severity, Severity::kLow);
}

TEST_F(CodeRulesTest, AFunctionThatALibraryGaveToSparkIsNoPassingOfRows) {
  AddPythonTask(1);
  const FrameId worker = Python("main", "/venv/site-packages/pyspark/worker.py", 1800);
  AddPythonSamples(1,
                   builder_.AddStack({worker, Python("mapper_fn", "/venv/site-packages/joblibspark/backend.py", 314),
                                      Python("fit", "/venv/site-packages/sklearn/svm/_base.py", 190)}),
                   40 * kSecond, 40 * kSecond);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"mapper_fn (backend.py:314)"});
  EXPECT_EQ(finding.evidence.find("passes rows"), std::string::npos) << finding.evidence;
  EXPECT_EQ(finding.saving.likely_ns, 0) << "it calls functions for arrays";
}

TEST_F(CodeRulesTest, AWorkerThatImportsModulesPassesNoRows) {
  AddPythonTask(1);
  const FrameId daemon = Python("<module>", "/venv/site-packages/pyspark/daemon.py", 230);
  const FrameId main = Python("main", "/venv/site-packages/pyspark/worker.py", 1800);
  AddPythonSamples(1,
                   builder_.AddStack({daemon, main, Python("step", "/home/me/job.py", 7),
                                      Python("_sum", "/venv/site-packages/numpy/_core/_methods.py", 49)}),
                   20 * kSecond, 20 * kSecond);
  AddPythonSamples(1,
                   builder_.AddStack({daemon, main, Python("_find_and_load", "<frozen importlib._bootstrap>", 1176),
                                      Python("<module>", "/venv/site-packages/pandas/__init__.py", 1)}),
                   30 * kSecond, 30 * kSecond);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.evidence.find("PySpark's own code"), std::string::npos) << finding.evidence;
  EXPECT_EQ(finding.saving.likely_ns, 0) << "the code calls functions for arrays";
}

TEST_F(CodeRulesTest, AFunctionThatPandasCallsForEachRowIsNotOneForArrays) {
  AddPythonTask(1);
  AddPythonSamples(1,
                   builder_.AddStack({Python("mean", "/home/me/job.py", 7),
                                      Python("apply", "/venv/site-packages/pandas/core/frame.py", 90),
                                      Python("_sum", "/venv/site-packages/numpy/_core/_methods.py", 49)}),
                   50 * kSecond, 50 * kSecond);
  EXPECT_GT(Found("python-bound").saving.likely_ns, 0);
}

TEST_F(CodeRulesTest, AFunctionThatPandasCallsForEachRowNeedsWholeColumns) {
  AddPythonTask(1);
  const FrameId batch = Python("rate_batch", "/home/me/job.py", 30);
  AddPythonSamples(1,
                   builder_.AddStack({batch, Python("apply_standard", "/venv/site-packages/pandas/core/apply.py", 90),
                                      Python("rate", "/home/me/job.py", 9)}),
                   40 * kSecond, 40 * kSecond);
  AddPythonSamples(1, builder_.AddStack({batch}), 10 * kSecond, 10 * kSecond);
  const Finding finding = Found("python-bound");
  EXPECT_NE(finding.title.find("pandas calls a function for each row"), std::string::npos) << finding.title;
  EXPECT_NE(finding.change.find("arithmetic on whole columns"), std::string::npos);
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(39.2)) << "most of the time";
}

TEST_F(CodeRulesTest, AFunctionOfReduceByKeyThatReducesNothingConcatenates) {
  AddPythonTask(1);
  application().stages[0].name = "reduceByKey at /home/me/job.py:31";
  AddPythonSamples(1, builder_.AddStack({Python("<lambda>", "/home/me/job.py", 31)}), 50 * kSecond, 50 * kSecond);
  Tasks& tasks = application().tasks;
  tasks.Column(TaskMetric::kInputBytes)[0] = 100;
  tasks.Column(TaskMetric::kShuffleWriteBytes)[0] = 10;
  EXPECT_EQ(Found("python-bound").title,
            "Stage 3: the function of reduceByKey() takes 100.0% of Python's CPU time and reduces nothing");
  tasks.Column(TaskMetric::kShuffleWriteBytes)[0] = 9;
  EXPECT_EQ(
      Found("python-bound").title,
      "Stage 3: tasks wait for Python for 100.0% of their time; 100.0% of Python's CPU time in <lambda> (job.py:31)");
}

TEST_F(CodeRulesTest, ALineThatTakesLongForEachRecordIsNoMatterOfPassingRows) {
  AddPythonTask(1);
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan.name = "BatchEvalPython";
  sql.plan.stages = {3};
  application().stages[0].sql_execution = 5;
  AddPythonSamples(1, builder_.AddStack({Python("pseudonym", "/home/me/job.py", 11)}), 50 * kSecond, 50 * kSecond);
  EXPECT_FALSE(IsFolded(Found("python-bound")));
  tasks().Column(TaskMetric::kShuffleReadRecords)[0] = 45'000;
  const Finding finding = Found("python-bound");
  EXPECT_TRUE(IsFolded(finding)) << finding.expected_share;
  EXPECT_NE(finding.evidence.find("1 ms of CPU time for each of 45,000 records"), std::string::npos)
      << finding.evidence;
  // Python code called by the line may be faster with many records at once.
  AddPythonSamples(1,
                   builder_.AddStack({Python("score", "/home/me/job.py", 12),
                                      Python("parse", "/venv/site-packages/dateutil/parser.py", 90)}),
                   50 * kSecond, 50 * kSecond);
  EXPECT_FALSE(IsFolded(Found("python-bound")));
}

TEST_F(CodeRulesTest, ALineThatIsLongerThanPythonsArithmeticCallsNativeCodeForTheWholeBatch) {
  AddPythonTask(1);
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "ArrowEvalPython", .text = "ArrowEvalPython [price(x#1)#2], [pythonUDF0#9], 200", .stages = {3}};
  application().stages[0].sql_execution = 5;
  AddPythonSamples(1, builder_.AddStack({Python("price", "/home/me/job.py", 45)}), 50 * kSecond, 50 * kSecond);
  tasks().Column(TaskMetric::kInputRecords)[0] = 10'000'000;
  EXPECT_TRUE(IsFolded(Found("python-bound"))) << "5 us for each row";
  EXPECT_TRUE(Found("python-bound").change.starts_with("Nothing, if the functions get whole arrays"));
  tasks().Column(TaskMetric::kInputRecords)[0] = 10'100'000;
  EXPECT_FALSE(IsFolded(Found("python-bound"))) << "a loop may take that long";
}

TEST_F(CodeRulesTest, ParsingTheSameTextsForEachRowIsDoneOnce) {
  AddPythonTask(1);
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "BatchEvalPython", .text = "BatchEvalPython [zone(x#1)#2], [pythonUDF0#9]", .stages = {3}};
  application().stages[0].sql_execution = 5;
  AddPythonSamples(1,
                   builder_.AddStack({Python("zone", "/home/me/job.py", 26),
                                      Python("loads", "/venv/site-packages/shapely/wkt.py", 22),
                                      Python("read", "/venv/site-packages/shapely/geos.py", 9)}),
                   50 * kSecond, 50 * kSecond);
  tasks().Column(TaskMetric::kInputRecords)[0] = 500'000;
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.title,
            "Stage 3: parsing takes 100.0% of Python's CPU time, 100 us for each row: loads (wkt.py:22)");
  EXPECT_TRUE(finding.change.starts_with("Call loads once for each text")) << finding.change;
  EXPECT_EQ(finding.frames, std::vector<std::string>{"zone (job.py:26)"});
  tasks().Column(TaskMetric::kInputRecords)[0] = 510'000;
  EXPECT_EQ(Found("python-bound").title, "Stage 3: tasks wait for Python for 100.0% of their time")
      << "a text for each row";
}

TEST_F(CodeRulesTest, GeometryThatTakesMostOfTheCpuTimeNamesItsFunctions) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  tasks().Column(TaskMetric::kExecutorRunTime)[0] = 50 * kSecond;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {
      .name = "HashAggregate",
      .text = "HashAggregate(keys=[k#1], functions=[sum( **org.apache.spark.sql.sedona_sql.expressions.ST_Area**  )])",
      .stages = {3}};
  application().stages[0].sql_execution = 5;
  EXPECT_EQ(Found("hot").title, "Stage 3: its tasks compute geometry, by their plan: ST_Area") << "event log";
  builder_.AddSample(Event::kCpu, 3, worker_, 1,
                     builder_.AddStack({"org.apache.sedona.common.Functions.intersection",
                                        "org.locationtech.jts.geom.Geometry.intersection"}),
                     20 * kSecond);
  builder_.AddSample(Event::kCpu, 3, worker_, 1, builder_.AddStack({"com.example.Job.run"}), 30 * kSecond);
  const Finding finding = Found("hot");
  EXPECT_EQ(finding.title, "Stage 3: geometry takes 40.0% of CPU time: ST_Area");
  EXPECT_NE(finding.evidence.find("40.0% of CPU time in intersection() of Sedona"), std::string::npos);
  application().profile.samples.back().weight += 1;
  EXPECT_NE(Found("hot").title, finding.title);
}

TEST_F(CodeRulesTest, APatternThatTakesMicrosecondsForARowIsNamedWithoutSamples) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  tasks().Column(TaskMetric::kExecutorRunTime)[0] = 50 * kSecond;
  tasks().Column(TaskMetric::kInputRecords)[0] = 10'000'000;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "Filter", .text = "Filter RLIKE(value#1, ^(a+)+b)", .stages = {3}};
  application().stages[0].sql_execution = 5;
  EXPECT_EQ(Found("hot").title, "Stage 3: its tasks compute regular expressions, by their plan: RLIKE");
  tasks().Column(TaskMetric::kInputRecords)[0] += 1;
  EXPECT_FALSE(Finds("hot")) << "less than 5 us";
}

TEST_F(CodeRulesTest, ALineOfPythonWithATenthOfItsTimeOnTheCpuSleeps) {
  AddPythonTask(1);
  AddPythonSamples(1, builder_.AddStack({Python("compute", "/home/me/job.py", 7)}), 5 * kSecond, 50 * kSecond);
  EXPECT_TRUE(Finds("sleep"));
}

TEST_F(CodeRulesTest, WaitingForRowsIsNotTheUsersCode) {
  AddPythonTask(1);
  const StackId rows = builder_.AddStack({Python("call_service", "/home/me/slacker.py", 20),
                                          Python("load_stream", "/venv/site-packages/pyspark/serializers.py", 150)});
  AddPythonSamples(1, rows, 0, 50 * kSecond);
  EXPECT_FALSE(Finds("sleep"));
}

// On a busy machine, a computing worker gets less than a tenth of a CPU.
TEST_F(CodeRulesTest, APythonWorkerThatIsRunnableWithoutACpuDoesNotSleepButStarves) {
  AddPythonTask(1);
  const StackId jvm = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, jvm, kSecond / 10);
  AddPythonSamples(1, builder_.AddStack({Python("compute", "/home/me/job.py", 7)}), 2 * kSecond, 50 * kSecond);
  EXPECT_TRUE(Finds("sleep"));
  application().python_samples.back().state = ThreadState::kRunning;
  EXPECT_FALSE(Finds("sleep"));
  EXPECT_TRUE(Finds("python-bound"));
  const Finding starved = Found("cpu-starved");
  EXPECT_EQ(starved.title, "Stage 3: tasks wait for a CPU for 96.0% of their time");
  EXPECT_NE(starved.evidence.find("48.0 s of it in Python workers"), std::string::npos) << starved.evidence;
}

TEST_F(CodeRulesTest, AFunctionThatLoadsAModelIsAnInitialization) {
  AddPythonTask(1);
  const StackId load = builder_.AddStack({Python("main.<locals>.predict", "/home/me/job.py", 40),
                                          Python("main.<locals>.load_sentiment_model", "/home/me/job.py", 22)});
  AddPythonSamples(1, load, 10 * kSecond, 50 * kSecond);
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"main.<locals>.load_sentiment_model (job.py:22)"});
}

TEST_F(CodeRulesTest, ALibraryThatReadsAModelForTheProgramIsAnInitializationInItsLine) {
  AddPythonTask(1);
  const std::string packages = "/usr/lib/python3/dist-packages";
  const FrameId load = Python("load", packages + "/joblib/numpy_pickle.py", 755);
  const FrameId score = Python("score", "/home/me/job.py", 16);
  const StackId model =
      builder_.AddStack({score, load, Python("_unpickle", packages + "/joblib/numpy_pickle.py", 632)});
  const StackId rows = builder_.AddStack({score, Python("loads", packages + "/simplejson/__init__.py", 9)});
  AddPythonSamples(1, model, 2 * kSecond, 10 * kSecond);
  AddPythonSamples(1, rows, 8 * kSecond, 40 * kSecond);
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"score (job.py:16)"});
  EXPECT_EQ(finding.title,
            "Stage 3: loading or building the same object again and again takes 20.0% of Python's CPU time");
}

TEST_F(CodeRulesTest, UnpicklingALargeFunctionIsNoWorkOfPython) {
  AddPythonTask(1);
  const StackId unpickle = builder_.AddStack({Python("read_command", "/spark/python/pyspark/worker.py", 70)});
  AddPythonSamples(1, unpickle, 7 * kSecond, 35 * kSecond);
  AddPythonSamples(1, builder_.AddStack({Python("lookup", "/home/me/job.py", 16)}), 3 * kSecond, 15 * kSecond);
  EXPECT_FALSE(Finds("python-bound"));
}

TEST_F(CodeRulesTest, AFunctionThatLoadsRowsIsNoInitialization) {
  AddPythonTask(1);
  AddPythonSamples(1, builder_.AddStack({Python("load_rows", "/home/me/job.py", 22)}), 10 * kSecond, 50 * kSecond);
  AddPythonSamples(1, builder_.AddStack({Python("modeling", "/home/me/job.py", 23)}), 10 * kSecond, 50 * kSecond);
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(CodeRulesTest, JavasSerializationFromAFifthOfTheCpuTimeOn) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  const StackId stack = builder_.AddStack({"com.example.Job.run", "java.io.ObjectOutputStream.writeObject"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, 10 * kSecond);
  builder_.AddSample(Event::kCpu, 3, worker_, 1, builder_.AddStack({"com.example.Job.run"}), 40 * kSecond);
  const Finding finding = Found("serialization");
  EXPECT_EQ(finding.title, "Stage 3: Java's serialization takes 20.0% of CPU time");
  Set({{"spark.serializer", "org.apache.spark.serializer.KryoSerializer"}});
  EXPECT_FALSE(Finds("serialization"));
  application().environment.clear();
  application().profile.samples[0].weight -= 1;
  EXPECT_FALSE(Finds("serialization"));
}

TEST_F(CodeRulesTest, AConstructorWithAFifthOfPythonsCpuTimeIsRepeated) {
  AddPythonTask(1);
  const FrameId map = Python("heckle", "/home/me/heckler.py", 40);
  const StackId init = builder_.AddStack({map, Python("Dictionary.__init__", "/home/me/heckler.py", 22)});
  const StackId work = builder_.AddStack({map});
  AddPythonSamples(1, init, 2 * kSecond, 10 * kSecond);
  AddPythonSamples(1, work, 8 * kSecond, 40 * kSecond);
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(
      Weighed(finding),
      "medium, saves 10.0 s (7.0 s to 12.5 s); cpu of stage 3; 2.0 s of 10.0 s of CPU samples of the Python workers");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"Dictionary.__init__ (heckler.py:22)"});
  EXPECT_EQ(finding.saving.likely_ns, 10 * kSecond);
  AddPythonSamples(1, work, 1, 1);
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(CodeRulesTest, FourTasksThatImportModulesImportThemInEachTask) {
  const StackId import = builder_.AddStack(
      {Python("score", "/home/me/imports.py", 30), Python("<module>", "/tmp/userFiles/heavy_dictionary.py", 4)});
  for (int64_t tid = 1; tid <= 3; ++tid) {
    AddPythonTask(tid);
    AddPythonSamples(tid, import, 10 * kSecond, 50 * kSecond);
  }
  EXPECT_FALSE(Finds("repeated-init"));
  AddPythonTask(4);
  AddPythonSamples(4, import, 10 * kSecond, 50 * kSecond);
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(Weighed(finding),
            "high, saves 50.0 s (35.0 s to 62.5 s); cpu of stage 3; 40.0 s of 40.0 s of CPU samples of the Python "
            "workers; 4 tasks import modules");
  EXPECT_EQ(finding.title, "Stage 3: importing modules in each task takes 100.0% of Python's CPU time");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"<module> (heavy_dictionary.py:4)"});
}

TEST_F(CodeRulesTest, WorkersThatAreNotReusedUnpickleForEachTask) {
  const StackId unpickles = builder_.AddStack(
      {Python("load_from_path", "/venv/pyspark/broadcast.py", 180), Python("loads", "/usr/lib/python3/pickle.py", 9)});
  const StackId work = builder_.AddStack({Python("name_of", "/home/me/job.py", 7)});
  for (int64_t tid = 1; tid <= 16; ++tid) {
    AddPythonTask(tid, 50 * static_cast<double>((tid - 1) / 2));
    AddPythonSamples(tid, unpickles, 10 * kSecond, 10 * kSecond);
    AddPythonSamples(tid, work, 40 * kSecond, 40 * kSecond);
  }
  EXPECT_FALSE(Finds("repeated-init"));
  Set({{"spark.python.worker.reuse", "false"}});
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(finding.title, "Stage 3: starting and initializing Python workers takes 20.0% of task time");
  EXPECT_TRUE(finding.change.starts_with("Set spark.python.worker.reuse=true")) << finding.change;
}

TEST_F(CodeRulesTest, ImportsSaveTheirShareOfAllOfPythonsCpuTime) {
  const StackId import = builder_.AddStack(
      {Python("score", "/home/me/imports.py", 30), Python("<module>", "/tmp/userFiles/heavy_dictionary.py", 4)});
  const StackId runtime = builder_.AddStack({Python("main", "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", 1)});
  for (int64_t tid = 1; tid <= 4; ++tid) {
    AddPythonTask(tid);
    AddPythonSamples(tid, import, 10 * kSecond, 50 * kSecond);
    AddPythonSamples(tid, runtime, 10 * kSecond, 50 * kSecond);
  }
  EXPECT_EQ(Found("repeated-init").saving.likely_ns, ApplicationBuilder::Nanos(25));
}

TEST_F(CodeRulesTest, ReadingPysparksZipFileAgainIsAFindingFromAFifthOfPythonsCpuTimeOn) {
  const FrameId setup = Python("setup_spark_files", "/opt/spark/python/lib/pyspark.zip/pyspark/worker_util.py", 144);
  const StackId read = builder_.AddStack({setup, Python("zipimporter.invalidate_caches", "<frozen zipimport>", 332),
                                          Python("_read_directory", "<frozen zipimport>", 484)});
  const StackId work = builder_.AddStack({setup, Python("score", "/home/me/job.py", 12)});
  AddPythonTask(1);
  AddPythonSamples(1, read, 5 * kSecond, 5 * kSecond);
  AddPythonSamples(1, work, 20 * kSecond, 20 * kSecond);
  const Finding finding = Found("zip-reads");
  EXPECT_EQ(finding.title, "Stage 3: reading pyspark.zip again in each task takes 20.0% of Python's CPU time");
  EXPECT_EQ(finding.saving.likely_ns, 5 * kSecond) << "not more than the samples";
  EXPECT_EQ(finding.severity, Severity::kMedium);
  AddPythonSamples(1, work, 1, 1);
  EXPECT_FALSE(Finds("zip-reads"));
}

TEST_F(CodeRulesTest, LocksFromATenthOfTheTaskTimeOn) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 25);
  const StackId stack = builder_.AddStack({"com.example.Registry.register", "com.example.Registry"});
  Sample& sample = builder_.AddSample(Event::kLock, 3, worker_, 1, stack, 5 * kSecond);
  const Finding finding = Found("lock");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 5.0 s (3.5 s to 6.2 s); lock of stage 3; 5.0 s of 50.0 s task time; 100.0% in "
            "com.example.Registry.register");
  EXPECT_EQ(finding.title, "Stage 3: waiting for locks takes 10.0% of task time");
  EXPECT_EQ(finding.selection.event, EventName(Event::kLock));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"com.example.Registry.register"});
  sample.weight -= 1;
  EXPECT_FALSE(Finds("lock"));
  sample.weight = 50 * kSecond;
  sample.stack = builder_.AddStack({"org.apache.spark.SparkEnv.createPythonWorker", "org.apache.spark.SparkEnv"});
  EXPECT_FALSE(Finds("lock"));
}

TEST_F(CodeRulesTest, AStageWithPythonAndWithoutSamplesIsPythonBound) {
  application().stages[0].details = "org.apache.spark.api.python.PythonRDD.collectAndServe(PythonRDD.scala)";
  builder_.AddTask(1, stage_, executor_, 0, 50, 25);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(Weighed(finding),
            "low, saves 750 ms (0 ns to 31.2 s); wall of stage 3; 25.0 s of 50.0 s run time is neither CPU time of the "
            "JVM nor GC nor shuffle; whether Python computes or sleeps is unknown without a profile");
  EXPECT_EQ(ConfidenceName(finding.confidence), "low");
  EXPECT_FALSE(Finds("sleep"));
  tasks().Column(TaskMetric::kExecutorCpuTime)[0] = 25 * kSecond + 1;
  EXPECT_FALSE(Finds("python-bound"));
}

TEST_F(CodeRulesTest, TheSameCauseInSeveralStagesIsOneFinding) {
  builder_.AddTask(1, stage_, executor_, 0, 0.1, 0.1);  // short first stages are not judged
  for (int64_t stage = 10; stage < 22; ++stage) {
    const int32_t row = builder_.AddStage(stage, 0, 0);
    const double begin = static_cast<double>(stage - 10) * 8 + 1;
    const size_t task = builder_.AddTask(stage, row, executor_, begin, begin + 4, 2);
    tasks().Column(TaskMetric::kGcTime)[task] = stage == 15 ? 2 * kSecond : kSecond;
  }
  const Answers answers = Answer(application());
  EXPECT_EQ(std::count_if(answers.findings.begin(), answers.findings.end(),
                          [](const Finding& finding) { return finding.rule == "gc"; }),
            1);
  const Finding gc = Found("gc");
  EXPECT_EQ(gc.title, "Stage 15: GC takes 50.0% of task time; the same in 11 other stages");
  EXPECT_EQ(gc.id, "gc-15.0");
  EXPECT_EQ(gc.stages.size(), 12u);
  EXPECT_EQ(gc.stages.front(), 15);
  EXPECT_EQ(gc.saving.likely_ns, ApplicationBuilder::Nanos(10.4));
  EXPECT_NE(gc.what.find(". Stages: 15, 10, 11, 12, 13, 14, 16, 17, 18, 19, …"), std::string::npos) << gc.what;
}

TEST_F(CodeRulesTest, RegularExpressionsThatTakeHalfOfTheCpuAreNamed) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  const StackId matching = builder_.AddStack({"org.apache.spark.sql.execution.WholeStageCodegenExec.hasNext",
                                              "java.util.regex.Matcher.find", "java.util.regex.Pattern$Curly.match"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, matching, 25 * kSecond);
  builder_.AddSample(Event::kCpu, 4, worker_, 1, builder_.AddStack({"org.apache.spark.sql.execution.Sort.next"}),
                     25 * kSecond);
  const Finding finding = Found("hot");
  EXPECT_EQ(finding.title, "Stage 3: regular expressions take 50.0% of CPU time");
  EXPECT_GT(finding.saving.likely_ns, 0);
  application().profile.samples.back().weight += kSecond;
  EXPECT_FALSE(Finds("hot"));
}

TEST_F(CodeRulesTest, DecimalsAndDatesThatTakeThreeTenthsOfTheCpuAreNamed) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  builder_.AddSample(Event::kCpu, 3, worker_, 1,
                     builder_.AddStack({"com.example.Rates.convert", "java.math.BigDecimal.divide"}), 15 * kSecond);
  builder_.AddSample(Event::kCpu, 4, worker_, 1, builder_.AddStack({"org.apache.spark.sql.execution.Sort.next"}),
                     35 * kSecond);
  const Finding finding = Found("hot");
  EXPECT_EQ(finding.title, "Stage 3: numbers as objects (BigDecimal) take 30.0% of CPU time");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"com.example.Rates.convert"});
  application().profile.samples.front().stack =
      builder_.AddStack({"com.example.Rates.convert", "java.text.SimpleDateFormat.parse"});
  EXPECT_EQ(Found("hot").title, "Stage 3: parsing and formatting dates takes 30.0% of CPU time");
}

}  // namespace
}  // namespace sparkprof
