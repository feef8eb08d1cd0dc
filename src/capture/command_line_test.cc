// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>

#include "base/text/text.h"
#include "capture/process_tree.h"

namespace sparkprof {
namespace {

std::string Cmdline(std::initializer_list<std::string_view> arguments) {
  std::string cmdline;
  for (const std::string_view argument : arguments) cmdline.append(argument).push_back('\0');
  return cmdline;
}

TEST(CommandForPeople, KeepsAnOrdinaryCommand) {
  EXPECT_EQ(CommandForPeople(Cmdline({"python3", "-m", "pyspark.daemon", "pyspark.worker"})),
            "python3 -m pyspark.daemon pyspark.worker");
  EXPECT_EQ(CommandForPeople(""), "");
}

TEST(CommandForPeople, LeavesClassPathsOut) {
  EXPECT_EQ(CommandForPeople(Cmdline({"java", "-cp", "/a.jar:/b.jar", "Main"})), "java -cp … Main");
}

TEST(CommandForPeople, HidesSecretsHoweverTheyAreGiven) {
  const std::string_view kArguments[] = {
      "-Djavax.net.ssl.keyStorePassword=hunter2",
      "spark.hadoop.fs.s3a.secret.key=hunter2",
      "spark.hadoop.fs.s3a.access.key=hunter2",
      "--token=hunter2",
      "PYTHON_WORKER_FACTORY_SECRET=hunter2",
      "my-credentials=hunter2 and hunter2",
      "spark.executor.extraJavaOptions=-Da=b -Dx.PASSWORD=hunter2",
      "jdbc:postgresql://user:hunter2@host/db",
      "spark.hadoop.fs.azure.account.key.store.dfs.core.windows.net=hunter2",
  };
  for (const std::string_view argument : kArguments) {
    const std::string command = CommandForPeople(Cmdline({"java", "--conf", argument, "Main"}));
    EXPECT_EQ(command.find("hunter2"), std::string::npos) << command;
    EXPECT_TRUE(command.ends_with(" Main")) << command;
  }
  EXPECT_EQ(CommandForPeople(Cmdline({"mysql", "--password", "hunter2", "db"})),
            "mysql --password *********(redacted) db");
  EXPECT_EQ(CommandForPeople(Cmdline({"x", "--password", "hunter2 two", "-Da.pwd=hunter2 two", "-c", "a=b"})),
            "x --password *********(redacted) -Da.pwd=*********(redacted) -c a=b");
  EXPECT_EQ(CommandForPeople(Cmdline({"curl", "http://host/a@b"})), "curl http://host/a@b");
}

TEST(CommandForPeople, IsAtMost200BytesOfWholeCharacters) {
  std::string long_argument;
  for (int i = 0; i < 100; ++i) long_argument += "ä→";
  const std::string command = CommandForPeople(Cmdline({"x", long_argument}));
  EXPECT_LE(command.size(), 200u);
  EXPECT_TRUE(IsUtf8(command));
  EXPECT_TRUE(IsUtf8(CommandForPeople(std::string("a\xff\xfe\n", 4))));
}

TEST(RoleOfCommand, KnowsPythonsDaemonAndItsForkedWorkers) {
  const std::string daemon = Cmdline({"python3", "-m", "pyspark.daemon", "pyspark.worker"});
  EXPECT_EQ(RoleOfCommand(daemon, ProcessRole::kJvm), ProcessRole::kPythonDaemon);
  EXPECT_EQ(RoleOfCommand(daemon, ProcessRole::kPythonDaemon), ProcessRole::kPythonWorker);
  for (const std::string& own : {Cmdline({"python3", "-m", "sparkprof_python_77", "pyspark.worker"}),
                                 Cmdline({"python3", "-m", "sparkprof_python_77"})}) {
    EXPECT_EQ(RoleOfCommand(own, ProcessRole::kJvm), ProcessRole::kPythonDaemon);
    EXPECT_EQ(RoleOfCommand(own, ProcessRole::kPythonDaemon), ProcessRole::kPythonWorker);
  }
  EXPECT_EQ(RoleOfCommand(Cmdline({"python3", "-m", "my_daemon", "pyspark.worker"}), ProcessRole::kJvm),
            ProcessRole::kPythonDaemon);
  EXPECT_EQ(RoleOfCommand(Cmdline({"python3", "-m", "pyspark.worker"}), ProcessRole::kJvm), ProcessRole::kPythonWorker);
  EXPECT_EQ(RoleOfCommand(Cmdline({"bash", "-c", "pyspark.daemon.log"}), ProcessRole::kJvm), ProcessRole::kOther);
}

}  // namespace
}  // namespace sparkprof
