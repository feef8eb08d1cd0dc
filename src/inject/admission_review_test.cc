// SPDX-License-Identifier: Apache-2.0
#include "inject/admission_review.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/json_parser.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

const InjectOptions kOptions{.image = "sparkprof:1", .server = "http://collector:8320", .secret = "tokens", .share = 1};

// A driver's pod as spark-submit creates it in cluster mode, with additional members.
struct PodText {
  std::string labels = R"("spark-role":"driver","spark-app-selector":"spark-1")";
  std::string metadata = {};
  std::string spec = {};
  std::string container =
      R"(,"env":[{"name":"SPARK_USER","value":"ana"}],"volumeMounts":[{"name":"conf","mountPath":"/c"}])";
  std::string volumes = R"(,"volumes":[{"name":"conf","emptyDir":{}}])";

  std::string Json() const {
    return fmt::format(R"({{"metadata":{{"name":"job-driver","labels":{{{}}}{}}},)"
                       R"("spec":{{"containers":[{{"name":"spark-kubernetes-driver","image":"spark:4"{}}}]{}{}}}}})",
                       labels, metadata, container, volumes, spec);
  }
};

std::string Review(std::string_view pod, std::string_view request = R"("operation":"CREATE")") {
  return fmt::format(
      R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"u-1","kind":{{"group":"","version":"v1","kind":"Pod"}},{},"object":{}}}}})",
      request, pod);
}

struct Decoded {
  std::string uid, patch;
  bool allowed = false;
};

Decoded Decode(const ReviewAnswer& answer) {
  JsonParser parser;
  simdjson::dom::element document;
  EXPECT_EQ(parser.Parse(answer.body).get(document), simdjson::SUCCESS) << answer.body;
  const auto response = document["response"];
  Decoded decoded;
  decoded.allowed = response["allowed"].get_bool().value();
  decoded.uid = std::string(response["uid"].get_string().value());
  simdjson::dom::element patch, type;
  const bool has_type = response["patchType"].get(type) == simdjson::SUCCESS;
  if (response["patch"].get(patch) == simdjson::SUCCESS) decoded.patch = *Base64Decode(TextOf(patch));
  EXPECT_EQ(has_type, !decoded.patch.empty());
  return decoded;
}

std::string PatchOf(const PodText& pod, const InjectOptions& options = kOptions) {
  return Decode(AnswerReview(Review(pod.Json()), options)).patch;
}

TEST(AdmissionReviewTest, ADriverGetsJarVariablesAndAnAnnotation) {
  const ReviewAnswer answer = AnswerReview(Review(PodText().Json()), kOptions);
  EXPECT_EQ(answer.outcome, InjectOutcome::kInjected);
  const Decoded decoded = Decode(answer);
  EXPECT_TRUE(decoded.allowed);
  EXPECT_EQ(decoded.uid, "u-1");
  EXPECT_EQ(
      decoded.patch,
      R"([{"op":"add","path":"/spec/volumes/-","value":{"name":"sparkprof-plugin","emptyDir":{}}},)"
      R"({"op":"add","path":"/spec/initContainers","value":[{"name":"sparkprof-plugin","image":"sparkprof:1",)"
      R"("command":["cp","/opt/sparkprof/lib/sparkprof-spark.jar","/opt/sparkprof-plugin/"],"resources":{},)"
      R"("securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"runAsNonRoot":true,)"
      R"("capabilities":{"drop":["ALL"]},"seccompProfile":{"type":"RuntimeDefault"}},)"
      R"("volumeMounts":[{"name":"sparkprof-plugin","mountPath":"/opt/sparkprof-plugin"}]}]},)"
      R"({"op":"add","path":"/spec/containers/0/volumeMounts/-",)"
      R"("value":{"name":"sparkprof-plugin","mountPath":"/opt/sparkprof-plugin","readOnly":true}},)"
      R"({"op":"add","path":"/spec/containers/0/env/-",)"
      R"("value":{"name":"SPARK_SUBMIT_OPTS","value":"-javaagent:/opt/sparkprof-plugin/sparkprof-spark.jar"}},)"
      R"({"op":"add","path":"/spec/containers/0/env/-","value":{"name":"SPARKPROF_SERVER","value":"http://collector:8320"}},)"
      R"({"op":"add","path":"/spec/containers/0/env/-","value":{"name":"SPARKPROF_SERVER_TOKEN",)"
      R"("valueFrom":{"secretKeyRef":{"name":"tokens","key":"ingest","optional":true}}}},)"
      R"({"op":"add","path":"/metadata/annotations","value":{"sparkprof.io/injection":"injected"}}])");
}

struct ShapeCase {
  const char* what;
  PodText pod;
  std::vector<std::string> expected;      // strings that the patch contains
  std::vector<std::string> missing = {};  // strings that it does not contain
};

TEST(AdmissionReviewTest, ThePatchFitsTheShapeOfThePod) {
  const std::vector<ShapeCase> cases = {
      {"missing lists are created once",
       {.container = "", .volumes = ""},
       {R"("path":"/spec/volumes","value":[{)", R"("path":"/spec/containers/0/volumeMounts","value":[{)",
        R"("path":"/spec/containers/0/env","value":[{"name":"SPARK_SUBMIT_OPTS")",
        R"("path":"/spec/containers/0/env/-","value":{"name":"SPARKPROF_SERVER")"}},
      {"null lists are created",
       {.container = R"(,"env":null)", .volumes = R"(,"volumes":null)"},
       {R"("path":"/spec/volumes","value":[{)", R"("path":"/spec/containers/0/env","value":[{)"}},
      {"the init container runs before those of the job",
       {.spec = R"(,"initContainers":[{"name":"own","image":"i"}])"},
       {R"("path":"/spec/initContainers/0","value":{"name":"sparkprof-plugin")"}},
      {"the job's JVM options stay in front",
       {.container = R"(,"env":[{"name":"A","value":"a"},{"name":"SPARK_SUBMIT_OPTS","value":"-Dx=\"1\""}])"},
       {R"("path":"/spec/containers/0/env/1/value","value":"-Dx=\"1\" -javaagent:/opt/sparkprof-plugin/sparkprof-spark.jar")"}},
      {"of two values of a variable, the last one counts",
       {.container = R"(,"env":[{"name":"SPARK_SUBMIT_OPTS","value":"-Da"},{"name":"SPARK_SUBMIT_OPTS"}])"},
       {R"("path":"/spec/containers/0/env/1/value","value":"-javaagent:)"}},
      {"annotations stay",
       {.metadata = R"(,"annotations":{"a":"b"})"},
       {R"("path":"/metadata/annotations/sparkprof.io~1injection","value":"injected")"}},
      {"envFrom with a prefix cannot set the variable",
       {.container = R"(,"envFrom":[{"prefix":"DB_","secretRef":{"name":"db"}}])"},
       {R"("name":"SPARK_SUBMIT_OPTS")"}},
      {"an explicit value makes envFrom harmless",
       {.container = R"(,"env":[{"name":"SPARK_SUBMIT_OPTS","value":""}],"envFrom":[{"secretRef":{"name":"db"}}])"},
       {R"("path":"/spec/containers/0/env/0/value","value":"-javaagent:)"}},
      {"a place of the job's own stays",
       {.container = R"(,"env":[{"name":"SPARKPROF_DIR","value":"s3a://b/r"}])"},
       {R"("name":"SPARK_SUBMIT_OPTS")"},
       {"SPARKPROF_SERVER"}},
      {"the init container has the amounts of Spark's, and no devices",
       {.container =
            R"(,"resources":{"limits":{"memory":"1Gi","nvidia.com/gpu":"1"},"requests":{"cpu":1,"memory":"1Gi"}})"},
       {R"("resources":{"limits":{"memory":"1Gi"},"requests":{"cpu":1,"memory":"1Gi"}})"}},
      {"a pod of root starts",
       {.spec = R"(,"securityContext":{"runAsUser":0})"},
       {R"("readOnlyRootFilesystem":true,"capabilities")"},
       {"runAsNonRoot"}},
      {"a Connect server is a driver", {.labels = R"("spark-role":"connect-server")"}, {"-javaagent:"}},
      {"a notebook with the label is a driver", {.labels = R"("sparkprof.io/profile":"true")"}, {"-javaagent:"}},
  };
  for (const ShapeCase& one : cases) {
    SCOPED_TRACE(one.what);
    const std::string patch = PatchOf(one.pod);
    for (const std::string& part : one.expected)
      EXPECT_NE(patch.find(part), std::string::npos) << part << "\n" << patch;
    for (const std::string& part : one.missing) EXPECT_EQ(patch.find(part), std::string::npos) << part << "\n" << patch;
  }
}

TEST(AdmissionReviewTest, TheContainerWithSparksNameIsTheDriver) {
  const std::string pod =
      R"({"metadata":{"labels":{"spark-role":"driver"}},"spec":{"containers":[{"name":"proxy"},{"name":"spark-kubernetes-driver"}]}})";
  const std::string patch = Decode(AnswerReview(Review(pod), kOptions)).patch;
  EXPECT_NE(patch.find("/spec/containers/1/env"), std::string::npos);
  EXPECT_EQ(patch.find("/spec/containers/0"), std::string::npos);
}

TEST(AdmissionReviewTest, OtherPodsStayAsTheyAre) {
  const std::vector<PodText> pods = {
      {.labels = R"("app":"web")"},
      {.labels = R"("spark-role":"executor","spark-app-selector":"spark-1")"},
      {.labels = R"("spark-role":"executor","sparkprof.io/profile":"true")"},
      {.labels = R"("spark-role":"driver","sparkprof.io/profile":"false")"},
      {.metadata = R"(,"annotations":{"sparkprof.io/profile":"false"})"},
      {.volumes = R"(,"volumes":[{"name":"sparkprof-plugin","emptyDir":{}}])"},
      {.labels = R"("spark-role":7)"},
  };
  for (const PodText& pod : pods) {
    const ReviewAnswer answer = AnswerReview(Review(pod.Json()), kOptions);
    EXPECT_EQ(answer.outcome, InjectOutcome::kUnconcerned) << pod.Json();
    EXPECT_EQ(answer.body,
              "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
              "\"response\":{\"uid\":\"u-1\",\"allowed\":true}}\n");
  }
}

TEST(AdmissionReviewTest, OnlyNewPodsAreChangedAndADryRunIsAnsweredAlike) {
  const std::string pod = PodText().Json();
  for (const char* request : {R"("operation":"UPDATE")", R"("operation":"DELETE")",
                              R"("operation":"CREATE","subResource":"ephemeralcontainers")"}) {
    EXPECT_EQ(AnswerReview(Review(pod, request), kOptions).outcome, InjectOutcome::kUnconcerned) << request;
  }
  EXPECT_EQ(Decode(AnswerReview(Review(pod, R"("operation":"CREATE","dryRun":true)"), kOptions)).patch,
            PatchOf(PodText()));
}

TEST(AdmissionReviewTest, ASkippedDriverGetsTheReasonOnly) {
  const std::vector<std::pair<PodText, std::string>> cases = {
      {{.container = R"(,"env":[{"name":"SPARK_SUBMIT_OPTS","valueFrom":{"configMapKeyRef":{"name":"a","key":"b"}}}])"},
       "valueFrom"},
      {{.container = R"(,"envFrom":[{"configMapRef":{"name":"all"}}])"}, "envFrom"},
      {{.container = R"(,"envFrom":[{"prefix":"SPARK_","configMapRef":{"name":"all"}}])"}, "envFrom"},
      {{.container = R"(,"volumeMounts":[{"name":"conf","mountPath":"/opt/sparkprof-plugin"}])"},
       "/opt/sparkprof-plugin"},
      {{.spec = R"(,"nodeSelector":{"kubernetes.io/os":"windows"})"}, "Linux"},
      {{.spec = R"(,"os":{"name":"windows"})"}, "Linux"},
  };
  for (const auto& [pod, reason] : cases) {
    const ReviewAnswer answer = AnswerReview(Review(pod.Json()), kOptions);
    EXPECT_EQ(answer.outcome, InjectOutcome::kSkipped);
    EXPECT_NE(answer.reason.find(reason), std::string::npos) << answer.reason;
    EXPECT_EQ(
        Decode(answer).patch,
        fmt::format(
            R"([{{"op":"add","path":"/metadata/annotations","value":{{"sparkprof.io/injection":"skipped: {}"}}}}])",
            answer.reason));
  }
}

TEST(AdmissionReviewTest, ASecondCallChangesNothing) {
  PodText skipped{.spec = R"(,"os":{"name":"windows"})"};
  skipped.metadata = fmt::format(R"(,"annotations":{{"sparkprof.io/injection":"skipped: {}"}})",
                                 AnswerReview(Review(skipped.Json()), kOptions).reason);
  EXPECT_EQ(PatchOf(skipped), "");
}

TEST(AdmissionReviewTest, TheShareIsDecidedByTheApplication) {
  InjectOptions options = kOptions;
  options.share = 0.1;
  int injected = 0;
  for (int i = 0; i < 2000; ++i) {
    const PodText pod{.labels = fmt::format(R"("spark-role":"driver","spark-app-selector":"spark-{}")", i)};
    const bool is_injected = PatchOf(pod, options).find("-javaagent:") != std::string::npos;
    EXPECT_EQ(is_injected, IsInShare(fmt::format("spark-{}", i), 0.1));
    injected += is_injected ? 1 : 0;
  }
  EXPECT_NEAR(injected, 200, 50);
  options.share = 0;
  EXPECT_EQ(AnswerReview(Review(PodText().Json()), options).outcome, InjectOutcome::kSkipped);
  // A label on the pod overrides the namespace.
  EXPECT_NE(PatchOf({.labels = R"("sparkprof.io/profile":"true")"}, options).find("-javaagent:"), std::string::npos);
  EXPECT_TRUE(IsInShare("spark-1", 1));
}

TEST(AdmissionReviewTest, WhatCannotBeReadIsAdmittedUnchanged) {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  const std::vector<std::string> reviews = {
      "",
      "{",
      "[]",
      "7",
      "null",
      R"({"apiVersion":"admission.k8s.io/v1beta1","request":{"uid":"u-1"}})",
      R"({"apiVersion":"admission.k8s.io/v1","request":[]})",
      R"({"apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","operation":"CREATE","kind":{"kind":"Pod"}}})",
      Review("[]"),
      Review(R"({"metadata":{"labels":{"spark-role":"driver"}},"spec":{}})"),
      Review(R"({"metadata":{"labels":{"spark-role":"driver"}},"spec":{"containers":[]}})"),
      Review(R"({"metadata":{"labels":{"spark-role":"driver"}},"spec":{"containers":[{"env":{}}]}})"),
      Review(R"({"metadata":{"labels":{"spark-role":"driver"}},"spec":{"containers":[{}],"volumes":7}})"),
      Review(deep),
      Review(fmt::format(
          R"({{"metadata":{{"labels":{{"spark-role":"driver"}}}},"spec":{{"containers":[{{"env":{}}}]}}}})", deep)),
      Review(R"({"metadata":")" + std::string(kMaxReviewBytes, 'x') + R"("})"),
  };
  for (const std::string& review : reviews) {
    const ReviewAnswer answer = AnswerReview(review, kOptions);
    EXPECT_EQ(answer.outcome, InjectOutcome::kMalformed) << review.substr(0, 200);
    EXPECT_FALSE(answer.reason.empty());
    const Decoded decoded = Decode(answer);
    EXPECT_TRUE(decoded.allowed);
    EXPECT_EQ(decoded.patch, "");
  }
}

TEST(AdmissionReviewTest, ATruncatedReviewIsAdmittedUnchanged) {
  const std::string review = Review(PodText().Json());
  for (size_t size = 0; size < review.size(); ++size) {
    EXPECT_EQ(AnswerReview(review.substr(0, size), kOptions).outcome, InjectOutcome::kMalformed) << size;
  }
}

}  // namespace
}  // namespace sparkprof
