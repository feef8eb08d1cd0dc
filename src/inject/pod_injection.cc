// SPDX-License-Identifier: Apache-2.0
#include "inject/pod_injection.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/json_writer.h"
#include "inject/json_members.h"
#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

// Writes a JSON Patch (RFC 6902). Values are complete JSON values; paths are JSON Pointers, with ~1 for a slash.
class PodPatch {
 public:
  // A list in the document. If it does not exist, the first item creates it.
  struct List {
    std::string path;
    bool exists = false;
  };

  PodPatch() { json_.BeginArray(); }

  void Append(List* list, std::string_view item) { Add(list, "/-", item); }
  void Prepend(List* list, std::string_view item) { Add(list, "/0", item); }
  // Creates or replaces a member of an object.
  void Set(std::string_view path, std::string_view value) {
    json_.BeginObject().Member("op", "add").Member("path", path).Key("value").Raw(value).EndObject();
  }
  std::string Take() { return json_.EndArray().Take(); }

 private:
  void Add(List* list, std::string_view place, std::string_view item) {
    if (list->exists) {
      Set(list->path + std::string(place), item);
    } else {
      Set(list->path, "[" + std::string(item) + "]");
    }
    list->exists = true;
  }

  JsonWriter json_;
};

using JsonElement = simdjson::dom::element;

constexpr std::string_view kProfileKey = "sparkprof.io/profile";   // label: "true"; annotation: "false"
constexpr std::string_view kResultKey = "sparkprof.io/injection";  // annotation: "injected", or why not
constexpr std::string_view kPluginName = "sparkprof-plugin";       // volume and init container
constexpr std::string_view kDriverContainer = "spark-kubernetes-driver";
constexpr std::string_view kDriverOptions = "SPARK_SUBMIT_OPTS";  // read by spark-submit only

// The last item of a list whose member `key` is `value`: the last one counts among variables. nullopt if there is none
// or no list.
std::optional<JsonElement> FindItem(std::optional<JsonElement> list, std::string_view key, std::string_view value) {
  simdjson::dom::array items;
  std::optional<JsonElement> found;
  if (!list || list->get(items) != simdjson::SUCCESS) return found;
  for (const JsonElement item : items) {
    if (MemberText(item, {key}) == value) found = item;
  }
  return found;
}

// True if `envFrom` may set the variable. The content of ConfigMaps and Secrets is unknown here.
bool MaySet(std::optional<JsonElement> sources, std::string_view variable) {
  simdjson::dom::array items;
  if (!sources || sources->get(items) != simdjson::SUCCESS) return false;
  for (const JsonElement item : items) {
    if (variable.starts_with(MemberText(item, {"prefix"}))) return true;
  }
  return false;
}

bool IsRoot(JsonElement pod) {
  int64_t user = -1;
  const std::optional<JsonElement> value = Member(pod, {"spec", "securityContext", "runAsUser"});
  return value && value->get(user) == simdjson::SUCCESS && user == 0;
}

struct DriverContainer {
  size_t index = 0;
  JsonElement json;
};

// Spark's container by its name, otherwise the first one, because pod templates may rename it.
std::optional<DriverContainer> FindDriver(JsonElement pod) {
  simdjson::dom::array containers;
  const std::optional<JsonElement> list = Member(pod, {"spec", "containers"});
  if (!list || list->get(containers) != simdjson::SUCCESS) return std::nullopt;
  std::optional<DriverContainer> found;
  size_t index = 0;
  for (const JsonElement container : containers) {
    if (!found || MemberText(container, {"name"}) == kDriverContainer) found = {index, container};
    ++index;
  }
  return found;
}

// The reason to keep the pod's environment; empty if the plugin can be added.
std::string ReasonToSkip(JsonElement pod, const DriverContainer& driver) {
  if (MemberText(pod, {"spec", "os", "name"}) == "windows" ||
      MemberText(pod, {"spec", "nodeSelector", "kubernetes.io/os"}) == "windows") {
    return "the plugin requires Linux";
  }
  if (FindItem(Member(driver.json, {"volumeMounts"}), "mountPath", kPluginFolder)) {
    return fmt::format("the container has a volume at {}", kPluginFolder);
  }
  const std::optional<JsonElement> variable = FindItem(Member(driver.json, {"env"}), "name", kDriverOptions);
  if (variable && Member(*variable, {"valueFrom"})) {
    return fmt::format("{} comes from valueFrom, so its value cannot be kept", kDriverOptions);
  }
  if (!variable && MaySet(Member(driver.json, {"envFrom"}), kDriverOptions)) {
    return fmt::format("envFrom may set {}; set it in env, if only to an empty value", kDriverOptions);
  }
  return {};
}

// Copies the requests and limits of Spark's container, so that the pod requests no more than before and keeps its
// quality-of-service class.
void WriteResources(JsonElement container, JsonWriter* json) {
  json->Key("resources").BeginObject();
  for (const std::string_view kind : {"limits", "requests"}) {
    const std::optional<JsonElement> amounts = Member(container, {"resources", kind});
    if (!amounts) continue;
    json->Key(kind).BeginObject();
    for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
      if (const std::optional<JsonElement> amount = Member(*amounts, {name})) {
        json->Key(name).Raw(simdjson::minify(*amount));
      }
    }
    json->EndObject();
  }
  json->EndObject();
}

// Meets the Pod Security Standard "restricted". The user is that of the image, the pod or the namespace.
std::string InitContainer(JsonElement pod, JsonElement container, const std::string& image) {
  JsonWriter json;
  json.BeginObject().Member("name", kPluginName).Member("image", image).Key("command").BeginArray();
  json.Value("cp").Value(kJarInImage).Value(fmt::format("{}/", kPluginFolder)).EndArray();
  WriteResources(container, &json);
  json.Key("securityContext").BeginObject().Member("allowPrivilegeEscalation", false);
  json.Member("readOnlyRootFilesystem", true);
  // A root pod with this member would not start.
  if (!IsRoot(pod)) json.Member("runAsNonRoot", true);
  json.Key("capabilities").BeginObject().Key("drop").BeginArray().Value("ALL").EndArray().EndObject();
  json.Key("seccompProfile").BeginObject().Member("type", "RuntimeDefault").EndObject().EndObject();
  json.Key("volumeMounts").BeginArray().BeginObject().Member("name", kPluginName);
  json.Member("mountPath", kPluginFolder).EndObject().EndArray().EndObject();
  return json.Take();
}

std::string Volume() {
  return JsonWriter()
      .BeginObject()
      .Member("name", kPluginName)
      .Key("emptyDir")
      .BeginObject()
      .EndObject()
      .EndObject()
      .Take();
}

std::string Mount() {
  JsonWriter json;
  json.BeginObject().Member("name", kPluginName).Member("mountPath", kPluginFolder).Member("readOnly", true);
  return json.EndObject().Take();
}

std::string Variable(std::string_view name, std::string_view value) {
  return JsonWriter().BeginObject().Member("name", name).Member("value", value).EndObject().Take();
}

// Optional, so that the pod starts without the Secret; its data stays in the spool.
std::string TokenVariable(const std::string& secret) {
  JsonWriter json;
  json.BeginObject().Member("name", "SPARKPROF_SERVER_TOKEN").Key("valueFrom").BeginObject();
  json.Key("secretKeyRef").BeginObject().Member("name", secret).Member("key", "ingest").Member("optional", true);
  return json.EndObject().EndObject().EndObject().Take();
}

void AddVariables(const DriverContainer& driver, const InjectOptions& options, PodPatch* patch) {
  const std::string path = fmt::format("/spec/containers/{}/env", driver.index);
  const std::string agent = fmt::format("-javaagent:{}/sparkprof-spark.jar", kPluginFolder);
  const std::optional<JsonElement> list = Member(driver.json, {"env"});
  PodPatch::List variables{path, list.has_value()};
  std::optional<size_t> position;
  std::string_view value;
  bool has_place = false;
  if (simdjson::dom::array items; list && list->get(items) == simdjson::SUCCESS) {
    size_t index = 0;
    for (const JsonElement item : items) {
      const std::string_view name = MemberText(item, {"name"});
      has_place = has_place || name == "SPARKPROF_SERVER" || name == "SPARKPROF_DIR";
      // The last variable of this name counts.
      if (name == kDriverOptions) {
        position = index;
        value = MemberText(item, {"value"});
      }
      ++index;
    }
  }
  if (position) {
    JsonWriter text;
    text.Value(value.empty() ? agent : fmt::format("{} {}", value, agent));
    patch->Set(fmt::format("{}/{}/value", path, *position), text.Take());
  } else {
    patch->Append(&variables, Variable(kDriverOptions, agent));
  }
  // Keeps the pod's own setting for the place of recordings.
  if (has_place) return;
  patch->Append(&variables, Variable("SPARKPROF_SERVER", options.server));
  if (!options.secret.empty()) patch->Append(&variables, TokenVariable(options.secret));
}

void Annotate(JsonElement pod, std::string_view text, PodPatch* patch) {
  const std::string value = JsonWriter().Value(text).Take();
  if (Member(pod, {"metadata", "annotations"})) {
    patch->Set("/metadata/annotations/sparkprof.io~1injection", value);
  } else {
    patch->Set("/metadata/annotations", fmt::format("{{\"{}\":{}}}", kResultKey, value));
  }
}

PodInjection Skip(JsonElement pod, std::string reason) {
  PodInjection result{InjectOutcome::kSkipped, std::move(reason), {}};
  const std::string text = "skipped: " + result.reason;
  if (MemberText(pod, {"metadata", "annotations", kResultKey}) == text) return {};
  PodPatch patch;
  Annotate(pod, text, &patch);
  result.patch = patch.Take();
  return result;
}

// The path of a member that should be a list but is not; empty if all are lists or missing.
std::string_view BrokenList(JsonElement pod, const DriverContainer& driver) {
  for (const std::string_view name : {"volumes", "initContainers"}) {
    const std::optional<JsonElement> list = Member(pod, {"spec", name});
    if (list && !list->is_array()) return name;
  }
  for (const std::string_view name : {"env", "envFrom", "volumeMounts"}) {
    const std::optional<JsonElement> list = Member(driver.json, {name});
    if (list && !list->is_array()) return name;
  }
  return {};
}

}  // namespace

bool IsInShare(std::string_view application, double share) {
  return static_cast<double>(HashBytes(application) >> 11) * 0x1.0p-53 < share;
}

PodInjection InjectPlugin(simdjson::dom::element pod, const InjectOptions& options) {
  if (!pod.is_object()) return {InjectOutcome::kMalformed, "the pod is not an object", {}};
  const std::string_view role = MemberText(pod, {"metadata", "labels", "spark-role"});
  const std::string_view chosen = MemberText(pod, {"metadata", "labels", kProfileKey});
  const bool is_driver = role == "driver" || role == "connect-server";
  if (role == "executor" || (!is_driver && chosen != "true")) return {};
  if (chosen == "false" || MemberText(pod, {"metadata", "annotations", kProfileKey}) == "false") return {};
  if (FindItem(Member(pod, {"spec", "volumes"}), "name", kPluginName)) return {};
  const std::optional<DriverContainer> driver = FindDriver(pod);
  if (!driver) return {InjectOutcome::kMalformed, "the pod has no containers", {}};
  if (const std::string_view name = BrokenList(pod, *driver); !name.empty()) {
    return {InjectOutcome::kMalformed, fmt::format("the pod's {} is not a list", name), {}};
  }
  std::string_view application = MemberText(pod, {"metadata", "labels", "spark-app-selector"});
  if (application.empty()) application = MemberText(pod, {"metadata", "name"});
  if (application.empty()) application = MemberText(pod, {"metadata", "generateName"});
  if (chosen != "true" && !IsInShare(application, options.share)) {
    return Skip(pod, "the application is not in the profiled share");
  }
  if (std::string reason = ReasonToSkip(pod, *driver); !reason.empty()) return Skip(pod, std::move(reason));

  PodPatch patch;
  PodPatch::List volumes{"/spec/volumes", Member(pod, {"spec", "volumes"}).has_value()};
  patch.Append(&volumes, Volume());
  PodPatch::List init_containers{"/spec/initContainers", Member(pod, {"spec", "initContainers"}).has_value()};
  patch.Prepend(&init_containers, InitContainer(pod, driver->json, options.image));
  PodPatch::List mounts{fmt::format("/spec/containers/{}/volumeMounts", driver->index),
                        Member(driver->json, {"volumeMounts"}).has_value()};
  patch.Append(&mounts, Mount());
  AddVariables(*driver, options, &patch);
  Annotate(pod, "injected", &patch);
  return {InjectOutcome::kInjected, {}, patch.Take()};
}

}  // namespace sparkprof
