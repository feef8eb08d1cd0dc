// SPDX-License-Identifier: Apache-2.0
// Proofs sent by `prove` are kept, listed, counted, and as visible as their applications.
#include <fmt/format.h>

#include <fstream>

#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kProofs = "/api/sparkprof/v1/proofs";

std::string ProofOf(const std::string& rule, const std::string& verdict, int time = 7, const std::string& group = "etl",
                    const std::string& application = "app-1") {
  return fmt::format(
      R"({{"time":{},"group":"{}","application":"{}","finding":"{}-1.0","rule":"{}","change":"spark.a=1","verdict":"{}",)"
      R"("text":"Proved","deltaMs":null,"promisedMs":null,"promise":null,"worse":[],"runs":{{"before":4,"after":4}}}})",
      time, group, application, rule, rule, verdict);
}

using ProofAnswersTest = CollectorTest;

TEST_F(ProofAnswersTest, AProofIsKeptListedAndCountedByRule) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  const std::string first = ProofOf("skew", "proved", 1), second = ProofOf("skew", "slower", 2);
  EXPECT_EQ(Answer(Send("POST", kProofs, first)), "201 " + first);
  EXPECT_EQ(Send("POST", kProofs, second).status, 201u);
  EXPECT_EQ(Send("POST", kProofs, ProofOf("gc", "proved", 3, "other")).status, 201u);
  const std::string rules = R"("rules":[{"rule":"skew","proofs":2,"proved":1}])";
  EXPECT_EQ(Answer(kProofs + "?group=etl"),
            R"(200 {"proofs":[)" + second + "," + first + R"(],"total":2,)" + rules + "}");
  EXPECT_EQ(Answer(kProofs + "?group=etl&verdict=proved"),
            R"(200 {"proofs":[)" + first + R"(],"total":1,)" + rules + "}");
  EXPECT_NE(Answer(kProofs + "?rule=gc").find(R"("total":1)"), std::string::npos);
  EXPECT_NE(Answer(kProofs + "?limit=1").find(R"("total":3)"), std::string::npos);
  std::ifstream audit(Path("audit.jsonl"));
  const std::string log((std::istreambuf_iterator<char>(audit)), {});
  EXPECT_NE(log.find(R"("what":"prove","subject":"etl")"), std::string::npos) << log;
}

TEST_F(ProofAnswersTest, WhatIsNotAProofIsRefused) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Send("POST", kProofs, "proof").status, 400u);
  EXPECT_EQ(Send("POST", kProofs, R"({"verdict":"proved"})").status, 400u);
  EXPECT_EQ(Send("POST", kProofs, std::string(65 << 10, ' ')).status, 413u);
  EXPECT_EQ(Get(kProofs + "?verdict=great").status, 400u);
  EXPECT_EQ(Get(kProofs + "?limit=0").status, 400u);
  EXPECT_EQ(Get(kProofs + "?color=red").status, 400u);
}

TEST_F(ProofAnswersTest, AUserSendsNobodyProofsOfAnotherUsersApplication) {
  const std::string alice = "aaaaaaaaaaaaaaaa", mallory = "bbbbbbbbbbbbbbbb", shared = "cccccccccccccccc";
  std::ofstream(Path("tokens")) << "read " << alice << " user=alice\ningest " << mallory << " user=mallory\ningest "
                                << shared << "\n";
  std::filesystem::permissions(Path("tokens"), std::filesystem::perms::owner_read);
  ServerOptions options;
  options.access = *Access::ReadTokens(Path("tokens"));
  options.access.SetAcls({.is_enabled = true});
  ApplicationRow row = ExampleRow("app-1");
  row.viewers = "\nuser:alice\n";
  if (!Start({EntryBuilder(row)}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  const auto as = [](const std::string& token) { return HttpHeaders{{"authorization", "Bearer " + token}}; };
  EXPECT_EQ(Send("POST", kProofs, ProofOf("skew", "proved"), as(mallory)).status, 201u);
  EXPECT_NE(Answer(Get(kProofs, as(alice))).find(R"("total":0)"), std::string::npos);
  EXPECT_EQ(Send("POST", kProofs, ProofOf("gc", "proved"), as(shared)).status, 201u);
  EXPECT_NE(Answer(Get(kProofs, as(alice))).find(R"("total":1)"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
