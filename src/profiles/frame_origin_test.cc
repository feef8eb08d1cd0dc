// SPDX-License-Identifier: Apache-2.0
#include "profiles/frame_origin.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(FrameOrigin, JvmFramesBelongToWhoseNamePrefixTheyHave) {
  for (const FrameKind kind : {FrameKind::kJit, FrameKind::kInterpreted, FrameKind::kInlined}) {
    EXPECT_EQ(OriginOf("java.util.HashMap.put", {}, kind), FrameOrigin::kJdk);
    EXPECT_EQ(OriginOf("scala.collection.Iterator.next", {}, kind), FrameOrigin::kJdk);
    EXPECT_EQ(OriginOf("org.apache.spark.rdd.RDD.iterator", {}, kind), FrameOrigin::kSpark);
    EXPECT_EQ(OriginOf("org.apache.spark.examples.SparkPi.main", {}, kind), FrameOrigin::kUser);
    EXPECT_EQ(OriginOf("org.apache.hadoop.fs.Path.<init>", {}, kind), FrameOrigin::kLibrary);
    EXPECT_EQ(OriginOf("com.example.Job.map", "libjvm.so", kind), FrameOrigin::kUser);
  }
}

TEST(FrameOrigin, LibrariesThatSparkShipsAreNotTheUsers) {
  for (const char* const name :
       {"com.ibm.icu.impl.ICUResourceBundleReader.createInstance", "com.univocity.parsers.csv.CsvParser.parseRecord",
        "org.antlr.v4.runtime.atn.ArrayPredictionContext.equals", "org.rocksdb.RocksDB.get",
        "org.joda.time.DateTime.now"}) {
    EXPECT_EQ(OriginOf(name, {}, FrameKind::kJit), FrameOrigin::kLibrary) << name;
  }
  EXPECT_EQ(OriginOf("org.mycompany.Job.map", {}, FrameKind::kJit), FrameOrigin::kUser);
}

TEST(FrameOrigin, NativeFramesBelongToTheirLibrary) {
  const auto native = [](std::string_view name, std::string_view file) {
    return OriginOf(name, file, FrameKind::kNative);
  };
  EXPECT_EQ(native("anything", "/jdk/lib/server/libjvm.so"), FrameOrigin::kVm);
  EXPECT_EQ(native("_start", "/usr/lib/libpython3.11.so.1.0"), FrameOrigin::kPythonRuntime);
  EXPECT_EQ(native("_start", "/usr/bin/python3.11"), FrameOrigin::kPythonRuntime);
  EXPECT_EQ(native("PyObject_Call", ""), FrameOrigin::kPythonRuntime);
  EXPECT_EQ(native("_PyEval_EvalFrameDefault", ""), FrameOrigin::kPythonRuntime);
  EXPECT_EQ(native("ZSTD_compress", "libzstd.so.1"), FrameOrigin::kLibrary) << "named as a symbol of ZGC";
  EXPECT_EQ(native("ZMark::mark", ""), FrameOrigin::kVm);
  EXPECT_EQ(native("read", ""), FrameOrigin::kLibrary);
}

TEST(FrameOrigin, PythonFramesBelongToTheFolderOfTheirFile) {
  const auto python = [](std::string_view file) { return OriginOf("f", file, FrameKind::kPython); };
  for (const char* const file : {"/spark/python/pyspark/worker.py", "/spark/python/lib/pyspark.zip/pyspark/worker.py",
                                 "pyspark/serializers.py", "/env/site-packages/pyspark/sql/udf.py",
                                 // what starts the user's function is not the user's
                                 "/env/sparkprof/_hooks.py", "/tmp/sparkprof_python_12062.py", "<frozen runpy>"}) {
    EXPECT_EQ(python(file), FrameOrigin::kSpark) << file;
  }
  for (const char* const file : {"/env/lib/python3.11/site-packages/pandas/core/frame.py",
                                 "/usr/lib/python3/dist-packages/numpy/core.py", "py4j-0.10.9-src.zip/py4j/java.py"}) {
    EXPECT_EQ(python(file), FrameOrigin::kLibrary) << file;
  }
  for (const char* const file : {"", "<frozen importlib>", "/usr/lib/python3.11/json/decoder.py",
                                 "/usr/lib64/python3.9/socket.py", "/tmp/job/segments/python/sitecustomize.py"}) {
    EXPECT_EQ(python(file), FrameOrigin::kPythonRuntime) << file;
  }
  EXPECT_EQ(python("/home/me/job.py"), FrameOrigin::kUser);
}

TEST(FrameOrigin, OtherFramesAreNeverTheUsers) {
  for (const FrameKind kind : {FrameKind::kKernel, FrameKind::kUnknown, FrameKind::kSynthetic}) {
    EXPECT_EQ(OriginOf("com.example.Job.map", {}, kind), FrameOrigin::kLibrary);
  }
}

}  // namespace
}  // namespace sparkprof
