#include "widgets/session/job_failures.h"

#include <new>

namespace shardscope
{

JobFailures& JobFailures::ofProgram()
{
    static JobFailures failures;
    return failures;
}

QString JobFailures::sentenceOf(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return QStringLiteral(
            "there is not enough memory for what was asked: open fewer ranks at once, or set fewer GPUs");
    } catch (const std::exception& error) {
        return QStringLiteral("the system refused what this needs: %1").arg(error.what());
    }
}

} // namespace shardscope
