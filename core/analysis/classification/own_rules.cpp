#include "core/analysis/classification/own_rules.h"

#include "core/base/file.h"
#include "core/base/user_folders.h"

#include <system_error>

namespace shardscope
{

namespace fs = std::filesystem;

fs::path ownRulesFile()
{
    if (const auto file = pathInEnvironment("SHARDSCOPE_RULES"))
        return *file;
    const auto folder = userSettingsFolder();
    return folder ? *folder / "communication.rules" : fs::path{};
}

Result<ClassificationRules> rulesInUse()
{
    const fs::path file = ownRulesFile();
    std::error_code ignored;
    if (file.empty() || !fs::exists(file, ignored))
        return ClassificationRules::loadShipped();
    return ClassificationRules::load(file);
}

Result<ClassificationRules> saveOwnRules(std::string_view text)
{
    Result<ClassificationRules> rules = ClassificationRules::parse(text);
    if (!rules)
        return rules;
    const fs::path file = ownRulesFile();
    if (file.empty())
        return Error{"there is no folder for settings: set XDG_CONFIG_HOME or HOME"};
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error)
        return Error{file.parent_path().string() + ": cannot be made (" + error.message() + ")"};
    const Result<bool> written = replaceFile(file, text);
    if (!written)
        return Error{file.string() + ": " + written.error().sentence};
    return rules;
}

Result<ClassificationRules> forgetOwnRules()
{
    const fs::path file = ownRulesFile();
    std::error_code error;
    if (!file.empty())
        fs::remove(file, error);
    if (error)
        return Error{file.string() + ": cannot be removed (" + error.message() + ")"};
    return ClassificationRules::shipped();
}

} // namespace shardscope
