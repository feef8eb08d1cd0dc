// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace sparkprof {

// Properties of core-site.xml, hdfs-site.xml and yarn-site.xml by name, as Hadoop's clients read them: files that do
// not exist or cannot be read have none, the later file counts. References to variables (${user.name}) stay as they
// are.
using HadoopConfiguration = std::map<std::string, std::string, std::less<>>;

// From a folder, usually HADOOP_CONF_DIR. Empty for an empty path.
HadoopConfiguration ReadHadoopConfiguration(const std::string& folder);

// The properties of one file's text.
void AddHadoopProperties(std::string_view xml, HadoopConfiguration* properties);

}  // namespace sparkprof
